package rules_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/mcpgrpc/bridge/bridge/internal/rules"
)

// hungry is a message with 30 fields, all required, in lists.
func hungry() string {
	var b strings.Builder
	for i := range 30 {
		fmt.Fprintf(&b, "string f%d = %d [(buf.validate.field).required = true];", i, i+1)
	}
	return "message Item {" + b.String() + "} message M { repeated Item items = 1; }"
}

// whole is an item of hungry that breaks no rule.
func whole() string {
	var b strings.Builder
	for i := range 30 {
		fmt.Fprintf(&b, `,"f%d":"x"`, i)
	}
	return "{" + b.String()[1:] + "}"
}

// watched is a set that counts the fields at which the validator looks, and calls at with each count.
func watched(at func(n int)) *rules.Set {
	var n atomic.Int64
	set := rules.NewSet()
	set.Hide = func(protoreflect.FieldDescriptor) bool {
		at(int(n.Add(1)))
		return false
	}
	return set
}

// items writes a list of n items, the last of which is another.
func items(name string, n int, item, last string) string {
	return `{"` + name + `":[` + strings.Repeat(item+",", n-1) + last + `]}`
}

// TestVisits: what is told at once, and the memory for it, do not grow with the request; the whole is checked all the same.
func TestVisits(t *testing.T) {
	t.Parallel()
	md := message(t, source(t, hungry()), "M")
	for name, tt := range map[string]struct {
		arguments      string
		visits, broken int // at most, exactly
	}{
		"few":              {items("items", 2, "{}", "{}"), 62, 60},
		"many":             {items("items", 1000, "{}", "{}"), 1934, 1933}, // beside 65 items, the list and the whole
		"too many":         {items("items", 15000, "{}", "{}"), 2, 1},
		"only the last":    {items("items", 1000, whole(), "{}"), 32001, 1},
		"last of too many": {items("items", 1500, whole(), "{}"), 45001, 1},
		"none":             {items("items", 1000, whole(), whole()), 32001, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var visits atomic.Int64
			got := broken(t, watched(func(n int) { visits.Store(int64(n)) }).Checker(md), request(t, md, tt.arguments))
			if int(visits.Load()) > tt.visits || len(got) != tt.broken {
				t.Errorf("%d violations, want %d; %d visits, want %d at most", len(got), tt.broken, visits.Load(), tt.visits)
			}
		})
	}
}

// TestVisitsOfMessages: messages count too, which may have rules and no fields.
func TestVisitsOfMessages(t *testing.T) {
	t.Parallel()
	md := message(t, source(t, `
		message E {
			option (buf.validate.message).cel = {id: "no" message: "no" expression: "false"};
			repeated E items = 1;
			oneof of { option (buf.validate.oneof).required = true; int32 n = 2; }
		}
		message M { repeated E items = 1; }`), "M")
	got := broken(t, rules.NewSet().Checker(md), request(t, md, items("items", 1000, "{}", "{}")))
	if len(got) != 1332 { // of 666 messages their own rule and that of their oneof; each is visited with that and its list
		t.Errorf("%d violations", len(got))
	}
}

// own has rules of an API's own and others of each kind.
const own = `
	syntax = "proto2"; package shop; import "buf/validate/validate.proto";
	extend buf.validate.StringRules {
		optional bool no_x = 1201 [(buf.validate.predefined).cel = {id: "no_x" message: "no x" expression: "this != 'x'"}];
	}
	message N { optional string a = 1 [(buf.validate.field).cel = {id: "below" message: "below" expression: "false"}]; repeated N n = 2; }
	message M {
		option (buf.validate.message).cel = {id: "whole" message: "whole" expression: "false"};
		option (buf.validate.message).cel_expression = "this.a == this.b";
		option (buf.validate.message).oneof = {fields: ["a", "b"] required: true};
		optional string a = 1 [(buf.validate.field) = {
			string: {max_len: 3 [shop.no_x]: true} cel: {id: "field" message: "field" expression: "false"} cel_expression: "false"}];
		optional string b = 2 [(buf.validate.field).required = true];
		repeated string list = 3 [(buf.validate.field).repeated.items = {
			string: {max_len: 3 [shop.no_x]: true} cel: {id: "item" message: "item" expression: "false"}}];
		map<string, string> pairs = 4 [(buf.validate.field).map.values = {cel: {id: "value" message: "value" expression: "false"}}];
		repeated N n = 5;
		optional string pattern = 6 [(buf.validate.field).string = {pattern: "[" max_len: 3}];
	}`

// TestManyItems: of a request with many items, wherever they are, the API's own rules are left to the backend, and no others.
func TestManyItems(t *testing.T) {
	t.Parallel()
	wire := compileText(t, own)
	bare := build(t, wire, new(protoregistry.Types))
	for origin, files := range map[string]*protoregistry.Files{
		"unknown fields":     bare,
		"linked extensions":  build(t, wire, protoregistry.GlobalTypes),
		"dynamic extensions": build(t, wire, dynamicpb.NewTypes(bare)),
	} {
		md := message(t, files, "M")
		c := rules.NewSet().Checker(md)
		const sound = `{"a":"x","b":"x",`
		for name, tt := range map[string]struct {
			arguments string
			want      []string // nil for any of the API's own
		}{
			"few":   {sound + `"list":["x"]}`, nil},
			"1,000": {sound + items("list", 1000, `"x"`, `"x"`)[1:], nil},
			"1,001": {`{"a":"x",` + items("list", 1001, `"x"`, `"x"`)[1:], []string{`b: is required [required]`}},
			"in a list": {
				`{"b":"x",` + items("list", 1001, `"x"`, `"xxxx"`)[1:],
				[]string{"list[1000]: must be at most 3 characters [string.max_len]"},
			},
			"at depths": {
				`{"b":"x","n":[{}` + strings.Repeat(`,{"n":[{},{},{}]}`, 250) + `],"a":"xxxx"}`,
				[]string{": only one of a, b can be set [message.oneof]"},
			},
			"of two lists": {
				`{"b":"x","list":["x"` + strings.Repeat(`,"x"`, 500) + `],"n":[{}` + strings.Repeat(`,{}`, 499) + `]}`, []string{},
			},
			"in all of it": {
				`{"b":"x","list":["x"],"pairs":{"k":"v"},"n":[` + strings.Repeat(`{},`, 998) + `{}],"pattern":"xxxx"}`,
				[]string{"pattern: must be at most 3 characters [string.max_len]"},
			},
			"nothing is told": {`{"b":"x",` + items("list", 1001, `"x"`, `"x"`)[1:], []string{}},
		} {
			t.Run(origin+"/"+name, func(t *testing.T) {
				t.Parallel()
				got := broken(t, c, request(t, md, tt.arguments))
				if tt.want == nil {
					if !strings.Contains(strings.Join(got, "\n"), "[whole]") || !strings.Contains(strings.Join(got, "\n"), "[no_x]") {
						t.Errorf("the API's own rules are passed over: %q", got)
					}
					return
				}
				if diff := cmp.Diff(tt.want, append([]string{}, got...)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		}
	}
}

// TestEndedContext: a check that its context ends returns that and goes no further.
func TestEndedContext(t *testing.T) {
	t.Parallel()
	md := message(t, source(t, hungry()), "M")
	for _, n := range []int{1000, 1500} {
		wire := request(t, md, items("items", n, whole(), "{}"))
		for _, end := range []int{0, 1, 75} {
			t.Run(fmt.Sprintf("%d items, visit %d", n, end), func(t *testing.T) {
				t.Parallel()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if end == 0 {
					cancel()
				}
				var visits atomic.Int64
				c := watched(func(n int) {
					visits.Store(int64(n))
					if n == end {
						cancel()
					}
				}).Checker(md)
				err := c.Check(ctx, wire)
				if !errors.Is(err, context.Canceled) || int(visits.Load()) != end {
					t.Errorf("error %v, %d visits", err, visits.Load())
				}
			})
		}
	}
}

// TestTurns: so many checks go on at once, and one that waits for its turn ends with its context.
func TestTurns(t *testing.T) {
	t.Parallel()
	files := source(t, `message M { string a = 1 [(buf.validate.field).required = true]; }`)
	md, most := message(t, files, "M"), max(2, runtime.GOMAXPROCS(0))
	inside, release := make(chan struct{}, 4*most), make(chan struct{})
	var now, peak atomic.Int64
	set := rules.NewSet()
	set.Hide = func(protoreflect.FieldDescriptor) bool {
		peak.Store(max(peak.Load(), now.Add(1)))
		inside <- struct{}{}
		<-release
		now.Add(-1)
		return false
	}
	var wg sync.WaitGroup
	for range 4 * most {
		wg.Go(func() {
			var v *rules.Violations
			if err := set.Checker(md).Check(context.Background(), nil); !errors.As(err, &v) {
				t.Errorf("error %v", err)
			}
		})
	}
	for range most {
		<-inside
	}
	ctx, cancel := context.WithCancel(t.Context())
	waiting := make(chan error)
	go func() { waiting <- set.Checker(md).Check(ctx, nil) }()
	for range 1000 {
		runtime.Gosched() // others that were let in would come now
	}
	cancel()
	if err := <-waiting; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	close(release)
	wg.Wait()
	if int(peak.Load()) > most {
		t.Errorf("%d checks went on at once, want %d at most", peak.Load(), most)
	}
}
