package transcode_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// TestOmit: fields of the response are left out of its JSON, set or not, and those further down are not.
func TestOmit(t *testing.T) {
	t.Parallel()
	w := features(t)
	omit := func(fd protoreflect.FieldDescriptor) bool {
		return fd.Name() == "f_string" || fd.Name() == "n" || fd.Name() == "m_sub"
	}
	for _, tt := range []struct {
		name, message, wire, want string
		defaults                  bool
	}{
		{"set", "t3.All", field(fString, "secret") + field(rString, "shown"), `{"rString":["shown"]}`, false},
		{"further down", "t3.All", field(fString, "x") + field(all, field(fString, "inner")), `{"all":{"fString":"inner"}}`, false},
		{"in a list", "t3.All", field(rSub, "\x08\x01"), `{"rSub":[{"n":1}]}`, false},
		{"not set", "t3.Sub", "", `{"fullName":""}`, true},
		{"nothing left", "t3.Sub", "\x08\x01", `{}`, false},
		{
			"the message of an Any", "google.protobuf.Any", marshal(t, &anypb.Any{TypeUrl: "type.googleapis.com/t3.Sub", Value: []byte("\x08\x01")}),
			`{"@type":"type.googleapis.com/t3.Sub","n":1}`, false,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := w.codec(t, fullName(tt.message), transcode.Options{Omit: omit, EmitDefaults: tt.defaults})
			got, warnings, err := c.AppendJSON(nil, []byte(tt.wire))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(warnings) > 0 {
				t.Errorf("warnings %q", warnings)
			}
		})
	}
}

// TestOmitSparesTheBound: what is left out does not count against MaxResult.
func TestOmitSparesTheBound(t *testing.T) {
	t.Parallel()
	c := features(t).codec(t, "t3.All", transcode.Options{
		MaxResult: 20,
		Omit:      func(fd protoreflect.FieldDescriptor) bool { return fd.Name() == "f_string" },
	})
	got, _, err := c.AppendJSON(nil, []byte(field(fString, string(make([]byte, 100)))+field(rString, "x")))
	if err != nil || string(got) != `{"rString":["x"]}` {
		t.Errorf("%s, error %v", got, err)
	}
}

// TestOmitLeavesArgumentsAlone: a field that a response omits can be an argument of the same type.
func TestOmitLeavesArgumentsAlone(t *testing.T) {
	t.Parallel()
	c := features(t).codec(t, "t3.Sub", transcode.Options{Omit: func(protoreflect.FieldDescriptor) bool { return true }})
	wire, err := c.AppendWire(nil, []byte(`{"n":7}`))
	if err != nil || string(wire) != "\x08\x07" {
		t.Errorf("wire %q, error %v", wire, err)
	}
}
