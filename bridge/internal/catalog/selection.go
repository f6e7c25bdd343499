package catalog

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// candidate is a method that is to be offered.
type candidate struct {
	source *Source
	method protoreflect.MethodDescriptor
}

func (k candidate) omission(reason string, kind Kind) Omission {
	return Omission{Backend: k.source.Backend.Name(), Method: string(k.method.FullName()), Reason: reason, Kind: kind}
}

// choose sorts the methods of a source into candidates and omissions.
func choose(source *Source) (chosen []candidate, omitted []Omission) {
	expose, hide := newPatterns(source.Expose), newPatterns(source.Hide)
	for _, service := range source.Set.Services() {
		for i := range service.Methods().Len() {
			k := candidate{source, service.Methods().Get(i)}
			if reason := k.refuse(expose, hide); reason != "" {
				omitted = append(omitted, k.omission(reason, Refused))
			} else if kind := streaming(k.method); kind != "" {
				omitted = append(omitted, k.omission(kind+": only unary methods are offered", Streaming))
			} else {
				chosen = append(chosen, k)
			}
		}
	}
	for _, p := range source.Set.Problems() {
		omitted = append(omitted, Omission{Backend: source.Backend.Name(), Method: p.Name, Reason: p.Reason, Kind: Deficient})
	}
	omitted = append(omitted, expose.unused("expose", source)...)
	omitted = append(omitted, hide.unused("hide", source)...)
	return chosen, omitted
}

// refuse says why a method is kept back, whatever its kind, "" when it is not.
func (k candidate) refuse(expose, hide *patterns) string {
	name := string(k.method.FullName())
	hidden, isHidden := hide.match(name)
	_, isExposed := expose.match(name)
	switch {
	case isHidden:
		return fmt.Sprintf("hidden by the pattern %q", hidden)
	case isInfrastructure(name) && !exposedByName(name, expose.globs):
		return "part of the server's own machinery; an expose pattern that begins with grpc. offers it"
	case len(expose.globs) > 0 && !isExposed:
		return "not exposed: no expose pattern matches it"
	}
	return ""
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
