package descriptor

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// errUndeclared is the reason for a service that was asked for and is nowhere.
var errUndeclared = errors.New("no file declares this service")

// services finds what is on offer, sorted, and reports what should have been.
func (b *builder) services(m material) []protoreflect.ServiceDescriptor {
	homes := b.homes()
	wanted := m.services
	if wanted == nil {
		for name, path := range homes {
			if !b.drafts[path].imported {
				wanted = append(wanted, name)
			}
		}
	}
	var found []protoreflect.ServiceDescriptor
	for _, name := range slices.Compact(slices.Sorted(slices.Values(wanted))) {
		service, err := b.service(name)
		if err == nil {
			found = append(found, service)
			continue
		}
		reason := err.Error()
		if failure := b.failed[homes[name]]; failure != "" {
			reason = fmt.Sprintf("its file %q could not be built: %s", homes[name], failure)
		} else if silence := m.silent[name]; silence != "" {
			reason = silence
		}
		b.problems = append(b.problems, newProblem(string(name), reason))
	}
	return found
}

func (b *builder) service(name protoreflect.FullName) (protoreflect.ServiceDescriptor, error) {
	found, err := b.files.FindDescriptorByName(name)
	if err != nil {
		return nil, errUndeclared
	}
	service, ok := found.(protoreflect.ServiceDescriptor)
	if !ok {
		return nil, fmt.Errorf("declared in %q, but not as a service", found.ParentFile().Path())
	}
	return service, nil
}

// homes maps each declared service to its file, built or not. Of two files that declare it the one that was built
// counts.
func (b *builder) homes() map[protoreflect.FullName]string {
	homes := make(map[protoreflect.FullName]string)
	for _, path := range slices.Sorted(maps.Keys(b.drafts)) {
		for _, name := range b.drafts[path].services() {
			if _, taken := homes[name]; !taken || b.built[path] != nil {
				homes[name] = path
			}
		}
	}
	return homes
}
