package descriptor

import (
	"slices"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// Lost compares s with what the same source gave before, and returns those problems of s by which something is missing
// that was there: a service that the source still has, but that cannot be described or built any more, and the comments
// of an [Overlay] that cannot be loaded any more. A service that the source does not have any more is no loss but a
// change; so is whatever befalls one that was not there before. The result is sorted by name, and empty where s can
// take the place of before.
func (s *Set) Lost(before *Set) []Problem {
	reported := s.reported()
	telling := map[string]bool{TextName: s.mute && !before.mute}
	for _, service := range s.missing(before) {
		if name, ok := s.excuse(service, reported); ok {
			telling[name] = true
		}
	}
	return slices.DeleteFunc(s.Problems(), func(p Problem) bool { return !telling[p.Name] })
}

// Still returns s without the services that next, a later load of the same source, does not have any more: neither on
// offer nor among those that next lost. It is s itself if there are none.
func (s *Set) Still(next *Set) *Set {
	reported := next.reported()
	gone := make(map[protoreflect.FullName]bool)
	for _, service := range next.missing(s) {
		if _, ok := next.excuse(service, reported); !ok {
			gone[service.FullName()] = true
		}
	}
	if len(gone) == 0 {
		return s
	}
	rest := *s
	rest.services = slices.DeleteFunc(s.Services(), func(d protoreflect.ServiceDescriptor) bool { return gone[d.FullName()] })
	rest.digest = rest.fingerprint()
	return &rest
}

// missing returns the services that before offers and s does not.
func (s *Set) missing(before *Set) []protoreflect.ServiceDescriptor {
	offered := setOf(s.serviceNames())
	return slices.DeleteFunc(before.Services(), func(d protoreflect.ServiceDescriptor) bool { return offered[d.FullName()] })
}

// reported returns the names of the problems.
func (s *Set) reported() map[string]bool {
	names := make(map[string]bool, len(s.problems))
	for _, p := range s.problems {
		names[p.Name] = true
	}
	return names
}

// excuse returns the name of the problem by which s lacks a service, if there is one. Where nothing but the files tells
// which services there are, a file that cannot be read takes along even their names.
func (s *Set) excuse(service protoreflect.ServiceDescriptor, reported map[string]bool) (name string, ok bool) {
	if name := string(service.FullName()); reported[name] {
		return name, true
	}
	path := service.ParentFile().Path()
	_, built := s.sealed[path]
	return path, !s.listed && !built && reported[path]
}
