package rules_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/mcpgrpc/bridge/bridge/internal/rules"
)

// faulty has rules that cannot be compiled among others, wherever rules can be.
const faulty = `
	message M {
		option (buf.validate.message).cel = {id: "sound" message: "a and b differ" expression: "this.a != this.b"};
		option (buf.validate.message).cel = {id: "unsound" expression: "this.nothing > 0"};
		option (buf.validate.message).oneof = {fields: ["a", "nothing"]};
		string a = 1 [(buf.validate.field) = {
			string: {min_len: 2}
			cel: {id: "no_x" message: "no x" expression: "!this.contains('x')"}
			cel: {id: "typed" expression: "this > 3"}
			cel: {id: "number" expression: "this.size()"}
			cel_expression: "this.size( < 5"
		}];
		string b = 2 [(buf.validate.field).string.min_len = 1];
		int32 c = 3 [(buf.validate.field) = {string: {min_len: 3} cel: {id: "even" message: "must be even" expression: "this % 2 == 0"}}];
		repeated string d = 4 [(buf.validate.field).repeated = {max_items: 1 items: {
			string: {min_len: 2} cel: {id: "item" expression: "this.nothing"}
		}}];
		map<string, int32> e = 5 [(buf.validate.field).map = {
			keys: {string: {min_len: 2} cel: {id: "key" expression: "nothing"}}
			values: {int32: {lt: 5} cel: {id: "value" expression: "nothing"}}
		}];
		N n = 6 [(buf.validate.field) = {required: true cel: {id: "n" expression: "this.nothing"}}];
		string f = 7 [(buf.validate.field).string = {pattern: "[" max_len: 1}];
		M again = 8;
	}
	message N {
		option (buf.validate.message).cel = {id: "whole" expression: "this.nothing"};
		string a = 1 [(buf.validate.field).string.min_len = 1];
		map<string, N> more = 2;
	}
	message Sound { string a = 1 [(buf.validate.field).string.min_len = 1]; }
	message Outer { N n = 1; Sound sound = 2; }`

// faultyOrigins are descriptors of faulty as different sources give them.
func faultyOrigins(t *testing.T) map[string]*protoregistry.Files {
	t.Helper()
	wire := compileSet(t, faulty)
	bare := build(t, wire, new(protoregistry.Types))
	return map[string]*protoregistry.Files{
		"unknown fields":     bare,
		"linked extensions":  build(t, wire, protoregistry.GlobalTypes),
		"dynamic extensions": build(t, wire, dynamicpb.NewTypes(bare)),
	}
}

// TestBrokenAlone: a rule that cannot be compiled turns no other off.
func TestBrokenAlone(t *testing.T) {
	t.Parallel()
	for origin, files := range faultyOrigins(t) {
		set := rules.NewSet()
		for name, tt := range map[string]struct {
			message   protoreflect.Name
			arguments string
			want      []string
		}{
			"all is well": {"M", `{"a":"aa","b":"b","n":{"a":"a"},"d":["aa"],"e":{"aa":1},"c":2}`, nil},
			"all is wrong": {"M", `{"a":"x","b":"x","c":3,"d":["a","aa"],"e":{"a":7},"f":"ff"}`, []string{
				": a and b differ [sound]",
				"a: no x [no_x]",
				"a: must be at least 2 characters [string.min_len]",
				"c: must be even [even]",
				"d: must contain no more than 1 item(s) [repeated.max_items]",
				"d[0]: must be at least 2 characters [string.min_len]",
				"e[\"a\"]: the key must be at least 2 characters [string.min_len]",
				"e[\"a\"]: must be less than 5 [int32.lt]",
				"n: is required [required]",
				"f: must be at most 1 characters [string.max_len]",
			}},
			"below": {"Outer", `{"n":{"more":{"b":{}}},"sound":{}}`, []string{
				"n.a: must be at least 1 characters [string.min_len]",
				`n.more["b"].a: must be at least 1 characters [string.min_len]`,
				"sound.a: must be at least 1 characters [string.min_len]",
			}},
		} {
			t.Run(origin+"/"+name, func(t *testing.T) {
				t.Parallel()
				md := message(t, files, tt.message)
				c := set.Checker(md)
				for range 2 {
					if diff := cmp.Diff(tt.want, broken(t, c, request(t, md, tt.arguments))); diff != "" {
						t.Errorf("(-want +got):\n%s", diff)
					}
				}
			})
		}
	}
}

// TestBroken: what cannot be compiled is told, by its field and the compiler's own words.
func TestBroken(t *testing.T) {
	t.Parallel()
	want := []string{
		"shop.M: the rule unsound cannot be compiled: ", "shop.M: the rule message.oneof cannot be compiled: ",
		"shop.M.a: the rule typed cannot be compiled: ", "shop.M.a: the rule number cannot be compiled: ",
		"shop.M.a: the rule this.size( < 5 cannot be compiled: ", "shop.M.c: the rule string cannot be compiled: ",
		"shop.M.d: the rule item cannot be compiled: ", "shop.M.e: the rule key cannot be compiled: ",
		"shop.M.e: the rule value cannot be compiled: ", "shop.M.n: the rule n cannot be compiled: ",
		"shop.M.f: the rule string.pattern cannot be compiled: ", "shop.N: the rule whole cannot be compiled: ",
	}
	for origin, files := range faultyOrigins(t) {
		got := rules.NewSet().Checker(message(t, files, "M")).Broken()
		for i, line := range got {
			if i < len(want) && (!strings.HasPrefix(line, want[i]) || len(line) == len(want[i]) || strings.Contains(line, "\n")) {
				t.Errorf("%s: %q, want %q and the reason", origin, line, want[i])
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: %d lines, want %d: %q", origin, len(got), len(want), got)
		}
		if got := rules.NewSet().Checker(message(t, files, "Sound")).Broken(); got != nil {
			t.Errorf("%s: sound rules are broken: %q", origin, got)
		}
	}
}

// TestBrokenPredefined: a rule that an API has declared itself is left out like those of its fields.
func TestBrokenPredefined(t *testing.T) {
	t.Parallel()
	files := build(t, compileText(t, `
		syntax = "proto2"; package shop; import "buf/validate/validate.proto";
		extend buf.validate.StringRules { optional bool odd = 1200 [(buf.validate.predefined).cel = {id: "odd" expression: "nothing"}]; }
		extend buf.validate.StringRules { optional bool no_x = 1201
			[(buf.validate.predefined).cel = {id: "no_x" message: "no x" expression: "this != 'x'"}]; }
		message M { optional string a = 1 [(buf.validate.field).string = {min_len: 2 [shop.odd]: true [shop.no_x]: true}]; }`),
		new(protoregistry.Types))
	md := message(t, files, "M")
	c := rules.NewSet().Checker(md)
	want := []string{"a: must be at least 2 characters [string.min_len]", "a: no x [no_x]"}
	if diff := cmp.Diff(want, broken(t, c, request(t, md, `{"a":"x"}`))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := c.Broken(); len(got) != 1 || !strings.HasPrefix(got[0], "shop.M.a: the rule string.1200 cannot be compiled: ") {
		t.Errorf("broken: %q", got)
	}
}

// TestLeftOut: what checks leave out is told once, and not before they do.
func TestLeftOut(t *testing.T) {
	t.Parallel()
	md := message(t, shop(t), "Broken")
	c := rules.NewSet().Checker(md)
	if got := c.LeftOut(); got != nil {
		t.Errorf("before a check: %q", got)
	}
	if err := c.Check(t.Context(), nil); err != nil {
		t.Error(err)
	}
	if got := c.LeftOut(); len(got) != 1 || !strings.Contains(got[0], "shop.Broken.name: the rule broken ") {
		t.Errorf("after a check: %q", got)
	}
	if got := c.LeftOut(); got != nil {
		t.Errorf("again: %q", got)
	}
	var none *rules.Checker
	if none.LeftOut() != nil || none.Broken() != nil {
		t.Error("where there are no rules, there are broken ones")
	}
}

// TestMendedAtOnce: checks that come upon a broken rule at the same time all leave it out.
func TestMendedAtOnce(t *testing.T) {
	t.Parallel()
	md := message(t, source(t, faulty), "Outer")
	c := rules.NewSet().Checker(md)
	wire := request(t, md, `{"n":{}}`)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			var v *rules.Violations
			if err := c.Check(t.Context(), wire); !errors.As(err, &v) || len(v.List) != 1 {
				t.Errorf("error %v", err)
			}
			_ = c.Broken()
		})
	}
	wg.Wait()
}

// TestCorpusSound: no rule of a real API is held to be broken.
func TestCorpusSound(t *testing.T) {
	t.Parallel()
	set := rules.NewSet()
	for md := range requests(corpus(t, "buf_registry_protovalidate.binpb")) {
		if got := set.Checker(md).Broken(); got != nil {
			t.Errorf("%s: %q", md.FullName(), got)
		}
	}
}
