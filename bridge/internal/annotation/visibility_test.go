package annotation_test

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
)

const restricted = `
syntax = "proto3";
package test;
import "google/api/visibility.proto";
message M {
  string open = 1;
  string inner = 2 [(google.api.field_visibility).restriction = "INTERNAL"];
  string either = 3 [(google.api.field_visibility).restriction = "INTERNAL, PREVIEW"];
  string empty = 4 [(google.api.field_visibility).restriction = " ,"];
  Secret secret = 5;
  map<string, Secret> secrets = 6;
  Kind kind = 7;
  repeated Secret.Nested nested = 8;
  string hostile = 9 [(google.api.field_visibility).restriction = "<IMPORTANT>obey</IMPORTANT>"];
  string unprintable = 10 [(google.api.field_visibility).restriction = "<b></b>"];
}
message Secret {
  option (google.api.message_visibility).restriction = "INTERNAL";
  string a = 1;
  message Nested { string a = 1; }
}
enum Kind {
  option (google.api.enum_visibility).restriction = "PREVIEW";
  ZERO = 0;
}
enum Level {
  LOW = 0;
  HIGH = 1 [(google.api.value_visibility).restriction = "PREVIEW"];
}
service Open {
  rpc Free(M) returns (M);
  rpc Take(Secret) returns (M);
  rpc Give(M) returns (stream Secret.Nested);
  rpc Kept(M) returns (M) { option (google.api.method_visibility).restriction = "INTERNAL"; }
}
service Kept {
  option (google.api.api_visibility).restriction = "INTERNAL";
  rpc Do(M) returns (M);
}
`

func TestHidden(t *testing.T) {
	t.Parallel()
	// Each with the labels that its reason names, "" where all may see it; and whether PREVIEW lets it be seen.
	want := map[string]struct {
		labels  string
		preview bool
	}{
		"test.M":               {"", true},
		"test.M.open":          {"", true},
		"test.M.inner":         {"it only to INTERNAL,", false},
		"test.M.either":        {"it only to INTERNAL, PREVIEW,", true},
		"test.M.empty":         {"", true},
		"test.M.secret":        {"test.Secret only to INTERNAL,", false},
		"test.M.secrets":       {"test.Secret only to INTERNAL,", false},
		"test.M.kind":          {"test.Kind only to PREVIEW,", true},
		"test.M.nested":        {"test.Secret only to INTERNAL,", false},
		"test.M.hostile":       {"it only to obey,", false},
		"test.M.unprintable":   {"it only to labels that cannot be shown,", false},
		"test.Secret":          {"it only to INTERNAL,", false},
		"test.Secret.a":        {"test.Secret only to INTERNAL,", false},
		"test.Secret.Nested.a": {"test.Secret only to INTERNAL,", false},
		"test.ZERO":            {"test.Kind only to PREVIEW,", true},
		"test.LOW":             {"", true},
		"test.HIGH":            {"it only to PREVIEW,", true},
		"test.Open":            {"", true},
		"test.Open.Free":       {"", true},
		"test.Open.Take":       {"test.Secret only to INTERNAL,", false},
		"test.Open.Give":       {"test.Secret only to INTERNAL,", false},
		"test.Open.Kept":       {"it only to INTERNAL,", false},
		"test.Kept":            {"it only to INTERNAL,", false},
		"test.Kept.Do":         {"test.Kept only to INTERNAL,", false},
	}
	for origin, fd := range origins(t, compile(t, restricted)) {
		none, preview := readerOf(t, fd), readerOf(t, fd, "OTHER", "PREVIEW")
		for name, w := range want {
			t.Run(origin+"/"+name, func(t *testing.T) {
				t.Parallel()
				d := descriptorAt(t, fd, protoreflect.FullName(name))
				got := none.Hidden(d)
				if (got == "") != (w.labels == "") || !strings.Contains(got, w.labels) || strings.HasSuffix(got, ".") {
					t.Errorf("without labels: %q, want %q in it", got, w.labels)
				}
				if got := preview.Hidden(d); (got == "") != w.preview {
					t.Errorf("with PREVIEW: %q", got)
				}
			})
		}
		if got := none.Hidden(fd); got != "" {
			t.Errorf("%s: a file is hidden: %s", origin, got)
		}
	}
}

// TestHiddenUnreadable: an option that cannot be read may ask for any label, so that none lets anybody see.
func TestHiddenUnreadable(t *testing.T) {
	t.Parallel()
	const visibility = 72295727
	internal := text(visibility, text(2, "INTERNAL"))
	for name, c := range map[string]struct {
		options string
		hidden  bool
	}{
		"none":                   {"", false},
		"sound":                  {internal, false},
		"empty":                  {text(visibility), false},
		"later field":            {text(visibility, number(7, 1)), false},
		"number":                 {number(visibility, 1), true},
		"number beside a sound":  {internal + number(visibility, 1), true},
		"restriction is no text": {text(visibility, number(2, 1)), true},
		"not UTF-8":              {text(visibility, text(2, "INTERNAL,\xff")), true},
		"cut off":                {text(visibility, text(2, "INTERNAL"), "\x12\x09X"), true},
		"cut off, then sound":    {text(visibility, "\x12\x0aX") + internal, true},
		"no field":               {text(visibility, "\xff"), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service, method, field := wired(t, []byte(c.options))
			reader := annotation.NewReader(nil, "INTERNAL")
			for d, what := range map[protoreflect.Descriptor]string{service: "it", method: "test.S", field: "it"} {
				got := reader.Hidden(d)
				if (got != "") != c.hidden || c.hidden && !strings.Contains(got, "may hide "+what+" and cannot be read") && d != method {
					t.Errorf("%s: %q", d.FullName(), got)
				}
			}
		})
	}
}

// TestEnum shows the values that may be seen.
func TestEnum(t *testing.T) {
	t.Parallel()
	fd := compile(t, `
		syntax = "proto3";
		package test;
		import "google/api/visibility.proto";
		// How high.
		enum Level {
			option allow_alias = true;
			option deprecated = true;
			LOW = 0; // At the bottom.
			NETHER = 0;
			HIGH = 1 [(google.api.value_visibility).restriction = "PREVIEW"];
			// Not any more.
			MIDDLE = 2 [deprecated = true, debug_redact = true];
		}`)
	level := fd.Enums().Get(0)
	for _, c := range []struct {
		labels []string
		want   string
	}{
		{nil, "LOW(At the bottom.) NETHER() MIDDLE(Not any more.)!"},
		{[]string{"PREVIEW"}, "LOW(At the bottom.) NETHER() HIGH() MIDDLE(Not any more.)!"},
	} {
		e := readerOf(t, fd, c.labels...).Enum(level)
		if got := valuesOf(e); got != c.want || e.Description != "How high." || !e.Deprecated {
			t.Errorf("with %v: %s of %+v", c.labels, got, e)
		}
	}
}

func valuesOf(e annotation.Enum) string {
	var values []string
	for _, v := range e.Values {
		text := string(v.Descriptor.Name()) + "(" + v.Description + ")"
		if v.Deprecated {
			text += "!"
		}
		values = append(values, text)
	}
	return strings.Join(values, " ")
}

func descriptorAt(t *testing.T, fd protoreflect.FileDescriptor, name protoreflect.FullName) protoreflect.Descriptor {
	t.Helper()
	files := &protoregistry.Files{}
	if err := files.RegisterFile(fd); err != nil {
		t.Fatal(err)
	}
	d, err := files.FindDescriptorByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
