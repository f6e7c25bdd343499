package main

import (
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// addSecrets puts a secret that is not there into each field of a message, and below it, that takes one, and returns their paths.
func addSecrets(m protoreflect.Message, at string) (paths []string) {
	if s, ok := m.Interface().(*configv1.Secret); ok {
		s.Source = &configv1.Secret_Env{Env: "BRIDGE_TEST_UNSET"}
		return []string{at}
	}
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		field := fields.Get(i)
		if field.Message() == nil || field.IsMap() || !strings.HasPrefix(string(field.Message().FullName()), "bridge.config.v1.") {
			continue
		}
		path := strings.TrimPrefix(at+"."+string(field.Name()), ".")
		if !field.IsList() {
			if below := addSecrets(m.NewField(field).Message(), path); len(below) > 0 {
				paths = append(paths, addSecrets(m.Mutable(field).Message(), path)...)
			}
			continue
		}
		list := m.NewField(field).List()
		if below := addSecrets(list.AppendMutable().Message(), path+"[0]"); len(below) > 0 {
			paths = append(paths, below...)
			m.Set(field, protoreflect.ValueOfList(list))
		}
	}
	return paths
}

// TestAbsentSecrets: of each secret that a configuration can have it is told when it is not there.
func TestAbsentSecrets(t *testing.T) {
	t.Parallel()
	c := &configv1.Config{}
	paths := addSecrets(c.ProtoReflect(), "")
	for _, known := range []string{"backends[0].headers[0].secret", "telemetry.otlp.headers[0].secret", "interaction.state_key"} {
		if !slices.Contains(paths, known) {
			t.Errorf("%s is not among %v", known, paths)
		}
	}
	var want []string
	for _, path := range paths {
		want = append(want, path+".env: environment variable BRIDGE_TEST_UNSET is not set")
	}
	if got := absent(c); !slices.Equal(got, want) {
		t.Errorf("told\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
