package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/mcpgrpc/bridge/bridge/config"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// TestEveryFieldHasAFlag: whatever is wrong with a field that flags fill, the message can name the flag.
func TestEveryFieldHasAFlag(t *testing.T) {
	t.Parallel()
	const all = "--backend x:1 --deadline 1s --max-message-size 1 --header a=b --expose a --hide b --visibility c --tool-name d.E.F=g " +
		"--no-rules --no-output-schemas "
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

// waiting are the fields that no flag fills: they are for the library, and for a configuration file.
var waiting = []string{
	"backends.name", "backends.hide_internal_errors", "backends.emit_defaults", "backends.descriptors.reflection.timeout",
	"backends.forward_headers.header", "backends.forward_headers.metadata",
	"backends.retry.max_attempts", "backends.retry.idempotent",
	"backends.quota.in_flight", "backends.quota.per_second", "backends.quota.burst",
	"caller_quota.in_flight", "caller_quota.per_second", "caller_quota.burst", "admin.readiness",
	"telemetry.otlp.endpoint", "telemetry.otlp.protocol", "telemetry.otlp.metrics", "telemetry.otlp.headers.name",
	"telemetry.otlp.headers.literal", "telemetry.otlp.headers.secret.env", "telemetry.otlp.headers.secret.file",
	"limits.max_stream_messages", "limits.max_stream_bytes", "interaction.state_key.env", "interaction.state_key.file",
	"interaction.old_state_keys.env", "interaction.old_state_keys.file", "interaction.state_lifetime", "interaction.answer_timeout",
	"interaction.max_rounds", "tasks.ttl", "tasks.max_tasks", "tasks.max_tasks_per_principal", "tasks.poll_interval",
	"telemetry.sample_ratio", "telemetry.record_content", "telemetry.baggage", "telemetry.http_spans",
	"limits.max_result_bytes", "limits.max_sessions", "limits.session_idle", "limits.max_streams", "limits.max_calls",
	"backends.tools.title", "backends.tools.description", "backends.tools.hints", "backends.tools.input_schema",
}

// TestFieldsWithoutFlags: whoever adds a field to the configuration gives it a flag, or says that it is for the file; what
// is said to be is there, and has none.
func TestFieldsWithoutFlags(t *testing.T) {
	t.Parallel()
	var got []string
	without((&configv1.Config{}).ProtoReflect().Descriptor(), "", &got)
	slices.Sort(got)
	slices.Sort(waiting)
	if diff := cmp.Diff(waiting, got); diff != "" {
		t.Errorf("fields without a flag (-said +found):\n%s", diff)
	}
}

// without collects the fields of a message, and of those within it, for which there is no flag; of tools the name has one.
func without(md protoreflect.MessageDescriptor, around string, found *[]string) {
	for i := range md.Fields().Len() {
		fd := md.Fields().Get(i)
		name, inner := around+string(fd.Name()), fd.Message()
		if fd.IsMap() {
			inner = fd.MapValue().Message()
		}
		switch {
		case name == "backends.tools":
			without(inner, name+".", found)
		case flags[name] != "" || name == "backends.tools.name":
		case inner != nil && inner.FullName().Parent() == "bridge.config.v1":
			without(inner, name+".", found)
		default:
			*found = append(*found, name)
		}
	}
}

// TestInFlags: what reports and logs say in the words of the configuration is said in those of the command line.
func TestInFlags(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"not exposed: no expose pattern matches it":                      "not exposed: no --expose pattern matches it",
		"it is hidden; name one in the visibility of its backend":        "it is hidden; name one with --visibility",
		"give it another one, by bridge.v1 or the configuration":         "give it another one, by bridge.v1 or --tool-name",
		"set it, or give it hints by bridge.v1 or the configuration":     "set it, or give it hints by bridge.v1",
		"what the configuration says of its tool does nothing: hidden":   "--tool-name does nothing for it: hidden",
		`the name given for it by the configuration is "x y", and so on`: `the name given for it by --tool-name is "x y", and so on`,
	} {
		if got := inFlags.Replace(text); got != want {
			t.Errorf("%s\nbecomes %s\nwant    %s", text, got, want)
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
		case fd.IsMap() || fd.Message() == nil || fd.Message().FullName() == "google.protobuf.Duration":
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
		{
			Path:    "backends[0].descriptors.overlay.protos[3]",
			Message: `"protos/\"descriptor_set" is no .proto source; give a descriptor set as descriptor_set`,
		},
		{Path: "limits.max_result_bytes", Message: "must not be odd"},
	}})
	want := `--proto: "protos/\"descriptor_set" is no .proto source; give a descriptor set as --descriptor-set; must not be odd`
	if err.Error() != want {
		t.Errorf("got %s\nwant %s", err, want)
	}
}
