package catalog

import (
	"slices"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// Idempotence returns what says of a method whether calling it twice does no more than calling it once, by what is declared
// beside its idempotency_level: by the hint `idempotent` that the configuration gives for its tool, then by patterns in the
// language of [CheckPattern], then by the same hint in its option of bridge.v1. Other hints are for models alone, `read_only` and
// those that are derived of google.api.http included. The result is safe for concurrent use.
func Idempotence(globs []string, tools map[string]*bridgev1.Tool) func(protoreflect.MethodDescriptor) (yes, said bool) {
	return func(method protoreflect.MethodDescriptor) (yes, said bool) {
		name := string(method.FullName())
		if own := tools[name].GetHints(); own != nil && own.Idempotent != nil {
			return own.GetIdempotent(), true
		}
		if slices.ContainsFunc(globs, func(glob string) bool { return matches(glob, name) }) {
			return true, true
		}
		own := annotation.MethodOptions(method).GetTool().GetHints()
		return own.GetIdempotent(), own != nil && own.Idempotent != nil
	}
}

// idle reports the patterns of [Source].Idempotent that match no method.
func idle(source *Source) []Omission {
	if len(source.Idempotent) == 0 {
		return nil
	}
	globs := newPatterns(source.Idempotent)
	for _, service := range source.Set.Services() {
		for i := range service.Methods().Len() {
			globs.match(string(service.Methods().Get(i).FullName()))
		}
	}
	return globs.unused("retry.idempotent", source)
}
