package rules_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/mcpgrpc/bridge/bridge/internal/rules"
	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
	libraryv1 "github.com/mcpgrpc/bridge/gen/library/v1"
)

func TestText(t *testing.T) {
	t.Parallel()
	title := rules.Violation{Path: "book.title", Reason: "must be at least 1 characters"}
	long := rules.Violation{Path: "book.title", Reason: "must be at most 200 characters"}
	tags := rules.Violation{Path: "tags[2]", Reason: "must equal `a`"}
	all := rules.Violation{Reason: "one of a, b must be set"}
	for name, tt := range map[string]struct {
		list []rules.Violation
		want string
	}{
		"one": {[]rules.Violation{title}, "1 argument breaks the rules of the API:\n- book.title: must be at least 1 characters"},
		"one argument": {
			[]rules.Violation{title, long},
			"1 argument breaks the rules of the API:\n- book.title: must be at least 1 characters\n- book.title: must be at most 200 characters",
		},
		"two": {
			[]rules.Violation{title, tags},
			"2 arguments break the rules of the API:\n- book.title: must be at least 1 characters\n- tags[2]: must equal `a`",
		},
		"the whole": {
			[]rules.Violation{all}, "the arguments break the rules of the API:\n- the arguments as a whole: one of a, b must be set",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, (&rules.Violations{List: tt.list}).Error()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestTextIsBounded: what is left out is counted, and the count is right.
func TestTextIsBounded(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ n, size, least, most int }{
		"few":                {20, 10, 20, 20},
		"one more":           {21, 10, 20, 20},
		"many":               {5000, 10, 20, 20},
		"long ones":          {20, 380, 9, 10},
		"many, of long path": {300, 2000, 4, 20},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := &rules.Violations{}
			for i := range tt.n {
				v.List = append(v.List, rules.Violation{
					Path: fmt.Sprintf("p%d%s", i, strings.Repeat("é", max(0, tt.size-400)/2)), Reason: strings.Repeat("x", min(tt.size, 380)),
				})
			}
			text := v.Error()
			listed, left := strings.Count(text, "\n- p"), 0
			if _, count, ok := strings.Cut(text, "\n- and "); ok {
				fmt.Sscanf(count, "%d more", &left)
			}
			if listed < tt.least || listed > tt.most || listed+left != tt.n || len(text) > 3800 || !utf8.ValidString(text) {
				t.Errorf("%d listed, %d left out, %d bytes", listed, left, len(text))
			}
		})
	}
}

// TestForeignText: what an API's author wrote cannot forge a line, hide anything or grow without bound.
func TestForeignText(t *testing.T) {
	t.Parallel()
	files := source(t, `
		message M {
			string a = 1 [(buf.validate.field).cel = {
				id: "a" expression: "false" message: "one\r\noutcome: executed\u200b\u001b[31m \xff red\u2028end  "}];
			string b = 2 [(buf.validate.field).cel = {id: "b" expression: "'é'.size() == 1 ? 'x' + this : ''"}];
			string c = 3 [(buf.validate.field).cel = {id: "c" expression: "false" message: "\n"}];
			string d = 4 [(buf.validate.field).cel = {expression: "false" message: ""}];
		}`)
	md := message(t, files, "M")
	got := broken(t, rules.NewSet().Checker(md), request(t, md, `{"b":"`+strings.Repeat("é", 500)+`"}`))
	want := []string{
		"a: one  outcome: executed[31m \uFFFD red end [a]", "b: x" + strings.Repeat("é", 198) + "… [b]", `c: breaks the rule c [c]`,
		`d: "false" returned false []`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestPathsOfTranscode: a place is spelt as the codec spells it that refuses something there.
func TestPathsOfTranscode(t *testing.T) {
	t.Parallel()
	files := source(t, `
		message M {
			int32 page_size = 1 [(buf.validate.field).int32.lt = 0];
			int32 odd = 2 [json_name = "@type", (buf.validate.field).int32.lt = 0];
			int32 foo_bar = 3 [(buf.validate.field).int32.lt = 0];
			M inner = 4;
			repeated M list_of = 5;
			map<string, M> by_text = 6;
			map<sint64, M> by_number = 7;
			map<fixed32, M> by_size = 8;
			map<bool, M> by_flag = 9;
		}`)
	md := message(t, files, "M")
	checker := rules.NewSet().Checker(md)
	codec, err := transcode.Compile(md, md, protoregistry.GlobalTypes, transcode.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, frame := range []string{
		`{%s}`, `{"inner":{%s}}`, `{"listOf":[{"pageSize":-1,"@type":-1,"fooBar":-1},{%s}]}`, `{"byText":{"a\"\n.é":{%s}}}`,
		`{"byText":{"` + strings.Repeat("é", 40) + `":{%s}}}`, `{"byNumber":{"-7":{%s}}}`, `{"bySize":{"7":{%s}}}`,
		`{"byFlag":{"true":{%s}}}`, `{"inner":{"byFlag":{"false":{"inner":{%s}}}}}`,
	} {
		for _, name := range []string{"pageSize", "@type", "fooBar"} {
			t.Run(frame+" "+name, func(t *testing.T) {
				t.Parallel()
				_, err := codec.AppendWire(nil, fmt.Appendf(nil, frame, `"`+name+`":"x"`))
				var argument *transcode.ArgumentError
				if !errors.As(err, &argument) {
					t.Fatalf("error %v", err)
				}
				var v *rules.Violations
				if err := checker.Check(t.Context(), request(t, md, fmt.Sprintf(frame, `"`+name+`":1`))); !errors.As(err, &v) {
					t.Fatalf("error %v", err)
				}
				for _, one := range v.List {
					if one.Path == argument.Path {
						return
					}
				}
				t.Errorf("no violation at %s: %v", argument.Path, v)
			})
		}
	}
}

// TestGeneratedTypes: descriptors of linked code work as well as those that were loaded.
func TestGeneratedTypes(t *testing.T) {
	t.Parallel()
	md := new(libraryv1.Book).ProtoReflect().Descriptor()
	c := rules.NewSet().Checker(md)
	got := broken(t, c, request(t, md, `{"title":"","author":"Frank Herbert","isbn":"978-0441013593","genre":77,"labels":{"Shelf":"B"}}`))
	want := []string{
		"title: must be at least 1 characters [string.min_len]",
		"isbn: must match regex pattern `^97[89][0-9]{10}$` [string.pattern]",
		"genre: must be one of GENRE_UNSPECIFIED, GENRE_FICTION, GENRE_SCIENCE_FICTION, GENRE_HISTORY, GENRE_SCIENCE, GENRE_POETRY, " +
			"GENRE_CHILDREN [enum.defined_only]",
		"labels[\"Shelf\"]: the key must match regex pattern `^[a-z0-9_-]{1,40}$` [string.pattern]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
