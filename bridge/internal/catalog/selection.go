package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// candidate is a method that is to be offered.
type candidate struct {
	source  *origin
	method  protoreflect.MethodDescriptor
	options *bridgev1.MethodOptions // of the descriptor
	flaws   annotation.Flaws
	// configured is what the configuration says of the tool, own all that is said of it; nil for nothing.
	configured, own *bridgev1.Tool
}

func newCandidate(source *origin, method protoreflect.MethodDescriptor) candidate {
	options, configured := source.reader.MethodOptions(method), source.Tools[string(method.FullName())]
	return candidate{source, method, options, source.reader.FlawsOf(method), configured, laidOver(options.GetTool(), configured)}
}

func (k candidate) omission(reason string, kind Kind) Omission {
	return Omission{Backend: k.source.Backend.Name(), Method: string(k.method.FullName()), Reason: reason, Kind: kind}
}

// choose sorts the methods of a source into candidates and omissions.
func choose(source *origin) (chosen []candidate, omitted []Omission) {
	expose, hide := newPatterns(source.Expose), newPatterns(source.Hide)
	for _, service := range source.Set.Services() {
		some, left := chooseOf(source, service, expose, hide)
		chosen, omitted = append(chosen, some...), append(omitted, left...)
	}
	omitted = append(omitted, unheard(source, chosen, omitted)...)
	for _, p := range problems(source) {
		omitted = append(omitted, Omission{Backend: source.Backend.Name(), Method: p.Name, Reason: p.Reason, Kind: Deficient})
	}
	omitted = append(omitted, expose.unused("expose", source.Source)...)
	omitted = append(omitted, hide.unused("hide", source.Source)...)
	omitted = append(omitted, idle(source.Source)...)
	return chosen, omitted
}

// problems are what the descriptors lack, but for files that cannot be built: where a service is missing for that, the one
// entry, under the service, names the file and the reason.
func problems(source *origin) []descriptor.Problem {
	all := source.Set.Problems()
	told := map[string]bool{}
	for _, p := range all {
		told[p.Reason] = true
	}
	return slices.DeleteFunc(all, func(p descriptor.Problem) bool {
		return told[fmt.Sprintf("its file %q could not be built: %s", p.Name, p.Reason)]
	})
}

// chooseOf is choose for one service.
func chooseOf(source *origin, service protoreflect.ServiceDescriptor, expose, hide *patterns) (chosen []candidate, omitted []Omission) {
	flaws, whole := source.reader.FlawsOf(service), Omission{Backend: source.Backend.Name(), Method: string(service.FullName())}
	for _, whole.Reason = range flaws.Ignored {
		whole.Kind = Ignored
		omitted = append(omitted, whole)
	}
	if whole.Reason, whole.Kind = flaws.Closed, Deficient; flaws.Closed != "" {
		omitted = append(omitted, whole)
	}
	hidden := hiddenBy(source, service, flaws)
	for i := range service.Methods().Len() {
		method := service.Methods().Get(i)
		k := newCandidate(source, method)
		if reason := k.refuse(expose, hide, hidden); reason != "" {
			omitted = append(omitted, k.omission(reason, Refused))
			continue
		}
		if k.flaws.Closed != "" {
			omitted = append(omitted, k.omission(k.flaws.Closed, Deficient))
			continue
		}
		chosen = append(chosen, k)
	}
	return chosen, omitted
}

// refuse says why a method is kept back, whatever its kind, "" when it is not. The configuration stands above the options:
// a pattern without wildcards offers a method that its option hides, or that of its service, for the reason given. What is
// restricted to a label is offered by that label alone.
func (k candidate) refuse(expose, hide *patterns, byService string) string {
	name := string(k.method.FullName())
	hidden, isHidden := hide.match(name)
	_, isExposed := expose.match(name)
	switch {
	case isHidden:
		return fmt.Sprintf("hidden by the pattern %q", hidden)
	case isInfrastructure(name) && !exposedByName(name, expose.globs):
		return "part of the server's own machinery; offered by an expose pattern that begins with grpc." + beside
	case len(expose.globs) > 0 && !isExposed:
		return "not exposed: no expose pattern matches it"
	}
	if restricted := k.source.reader.Hidden(k.method); restricted != "" {
		return restricted
	}
	if slices.Contains(expose.globs, name) {
		return ""
	}
	if reason := cmp.Or(k.hidden(), byService); reason != "" {
		return reason + "; offered by an expose pattern that is its full name" + beside
	}
	return ""
}

// beside warns of what an expose pattern does to all that it does not match.
const beside = ", beside others for what else is to be offered"

// hidden says that the method's option hides it, "" where it does not.
func (k candidate) hidden() string {
	if k.options.GetHide() {
		return "hidden by the option (bridge.v1.method).hide"
	}
	return ""
}

// hiddenBy says that the option of a service hides its methods, or may do so, "" where it does not.
func hiddenBy(source *origin, service protoreflect.ServiceDescriptor, flaws annotation.Flaws) string {
	switch {
	case source.reader.ServiceOptions(service).GetHide():
		return "hidden by the option (bridge.v1.service).hide"
	case flaws.Closed != "":
		return "the option (bridge.v1.service) cannot be read where it may say hide"
	}
	return ""
}

func (k candidate) service() protoreflect.ServiceDescriptor {
	return k.method.Parent().(protoreflect.ServiceDescriptor)
}

// infrastructure are the packages of the services that a server brings along beside its own.
var infrastructure = []string{"grpc.reflection.", "grpc.health.", "grpc.channelz."}

func isInfrastructure(name string) bool {
	for _, prefix := range infrastructure {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// exposedByName says whether a glob that is about gRPC's own packages, and not just about everything, matches.
func exposedByName(name string, globs []string) bool {
	for _, g := range globs {
		if strings.HasPrefix(g, "grpc.") && matches(g, name) {
			return true
		}
	}
	return false
}

// streaming says of which kind a method is that streams; "" for a unary one.
func streaming(method protoreflect.MethodDescriptor) string {
	switch client, server := method.IsStreamingClient(), method.IsStreamingServer(); {
	case client && server:
		return "bidirectional streaming"
	case client:
		return "client streaming"
	case server:
		return "server streaming"
	}
	return ""
}
