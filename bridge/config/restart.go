package config

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// NeedsRestart names the fields in which two configurations differ and which are looked at only when a bridge starts, such as
// "server.listen", in the order of config.proto; nil for none. All but backends are.
func NeedsRestart(before, after *configv1.Config) []string {
	var names []string
	fields := before.ProtoReflect().Descriptor().Fields()
	for i := range fields.Len() {
		if fd := fields.Get(i); fd.Name() != "backends" {
			names = append(names, differences("", fd, before.ProtoReflect(), after.ProtoReflect())...)
		}
	}
	return names
}

// differences names what differs in one field of two messages: the field, or those of our own messages below it.
func differences(prefix string, fd protoreflect.FieldDescriptor, before, after protoreflect.Message) []string {
	name := prefix + string(fd.Name())
	if fd.IsList() || fd.IsMap() || fd.Message() == nil || fd.Message().ParentFile() != fd.ParentFile() {
		if before.Has(fd) == after.Has(fd) && before.Get(fd).Equal(after.Get(fd)) {
			return nil
		}
		return []string{name}
	}
	if before.Has(fd) != after.Has(fd) && fd.Message().Name() == "Admin" {
		return []string{name} // there is the server or there is none, whatever is said of it
	}
	var names []string
	fields := fd.Message().Fields()
	for i := range fields.Len() {
		names = append(names, differences(name+".", fields.Get(i), before.Get(fd).Message(), after.Get(fd).Message())...)
	}
	return names
}
