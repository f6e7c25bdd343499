package main

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/mcpgrpc/bridge/bridge/config"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// TestEveryFieldHasAFlag: whatever is wrong with a field that flags fill, the message can name the flag.
func TestEveryFieldHasAFlag(t *testing.T) {
	t.Parallel()
	const all = "--backend x:1 --deadline 1s --max-message-size 1 --header a=b --expose a --hide b "
	for _, flags := range []string{
		all + "--plaintext --reflection-header c=@d",
		all + "--tls-ca a --tls-cert b --tls-key c --tls-server-name d --descriptor-set a.binpb",
		all + "--proto a.proto --proto-path b",
		all + "--reflection --reflection-header c=env:d --descriptor-set a.binpb",
		all + "--reflection --proto a.proto --proto-path b",
	} {
		c := fill(t, false, flags)
		c.Reload = durationpb.New(time.Second)
		c.Server = &configv1.Server{Listen: "x", AllowHosts: []string{"x"}, AllowOrigins: []string{"x"}, InsecureNoAuth: true}
		for field := range fields(c.ProtoReflect(), "") {
			if flagOf(field) == "" {
				t.Errorf("%s has no flag", field)
			}
		}
	}
	known := newServe().Flags()
	for _, names := range []map[string]string{flags, words} {
		for field, flag := range names {
			if known.Lookup(strings.TrimPrefix(flag, "--")) == nil {
				t.Errorf("%s of %s is no flag", flag, field)
			}
		}
	}
}

// fields collects the set fields of a message and of those within it, without the indices of lists.
func fields(m protoreflect.Message, around string) map[string]bool {
	found := map[string]bool{}
	within := func(name string, inner protoreflect.Message) {
		for field := range fields(inner, name+".") {
			found[field] = true
		}
	}
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch name := around + string(fd.Name()); {
		case fd.Message() == nil || fd.Message().FullName() == "google.protobuf.Duration":
			found[name] = true
		case fd.IsList():
			for i := range v.List().Len() {
				within(name, v.List().Get(i).Message())
			}
		default:
			within(name, v.Message())
		}
		return true
	})
	return found
}

// TestValuesKeepTheirWords: names of fields become flags, but not in what the user gave.
func TestValuesKeepTheirWords(t *testing.T) {
	t.Parallel()
	err := flagError(&config.Error{Faults: []config.Fault{
		{Path: "backends[0].descriptors.overlay.protos[3]", Message: `"protos/\"descriptor_set" is no .proto source; give a descriptor set as descriptor_set`},
		{Path: "limits.max_result_bytes", Message: "must not be odd"},
	}})
	want := `--proto: "protos/\"descriptor_set" is no .proto source; give a descriptor set as --descriptor-set; must not be odd`
	if err.Error() != want {
		t.Errorf("got %s\nwant %s", err, want)
	}
}
