package catalog

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/lint"
	"github.com/mcpgrpc/bridge/bridge/internal/shape"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// authority is who says something of a tool; the first stands above the others.
type authority int

const (
	configuration authority = iota
	option
	derivation
)

// of is how faults tell whose words they are about.
func (a authority) of() string {
	if a == configuration {
		return "the configuration"
	}
	return "its option"
}

// laidOver returns what is said of a tool by its option and, above that, field by field, by the configuration; nil where
// neither says anything.
func laidOver(byOption, configured *bridgev1.Tool) *bridgev1.Tool {
	if configured == nil {
		return byOption
	}
	merged := &bridgev1.Tool{}
	if byOption != nil {
		proto.Merge(merged, byOption)
	}
	proto.Merge(merged, configured)
	return merged
}

// by says whose a text of the tool is, which is given: that of the configuration, if it has one.
func (k candidate) by(text func(*bridgev1.Tool) string) authority {
	if text(k.configured) != "" {
		return configuration
	}
	return option
}

// ownName returns the name of the tool that is given for it, "" for none, or says why that is none.
func (k candidate) ownName() (name, fault string) {
	name = k.own.GetName()
	if name == "" || lint.IsName(name) {
		return name, ""
	}
	return "", fmt.Sprintf("the tool has its derived name: the name given for it by %s is %q, "+
		"and one is a letter or _, then at most 63 of A-Z, a-z, 0-9, _ and -", k.by((*bridgev1.Tool).GetName).of(), name)
}

// namedBy says who has named the tool.
func (k candidate) namedBy() authority {
	if name, _ := k.ownName(); name == "" {
		return derivation
	}
	return k.by((*bridgev1.Tool).GetName)
}

// unheard tells of what the configuration says in vain: of methods that there are not, or that are left out, for the reasons
// among omitted.
func unheard(o *origin, chosen []candidate, omitted []Omission) []Omission {
	offered, reasons := map[string]bool{}, map[string]string{}
	if len(o.Tools) > 0 {
		for _, k := range chosen {
			offered[string(k.method.FullName())] = true
		}
		for _, left := range omitted {
			reasons[left.Method] = left.Reason
		}
	}
	var found []Omission
	for _, name := range slices.Sorted(maps.Keys(o.Tools)) {
		left := Omission{Backend: o.Backend.Name(), Method: name, Kind: Unmatched}
		switch reason := reasons[name]; {
		case offered[name]:
			continue
		case reason != "" && methodOf(o.Source, protoreflect.FullName(name)) != nil:
			left.Kind, left.Reason = Ignored, "what the configuration says of its tool does nothing: "+reason
		default:
			left.Reason = "the configuration says something of the tool of this method, which no service on offer has: " + meant(o.Source, name)
		}
		found = append(found, left)
	}
	return found
}

// meant says which method may have been meant by a name that none has.
func meant(source *Source, name string) string {
	var names []string
	for _, service := range source.Set.Services() {
		if string(service.FullName()) == name {
			return "it is a service, write the full name of one of its methods"
		}
		for i := range service.Methods().Len() {
			names = append(names, string(service.Methods().Get(i).FullName()))
		}
	}
	for _, full := range names {
		if full == dotted(name) || strings.HasSuffix(full, "."+dotted(name)) {
			return "did you mean " + full + "?"
		}
	}
	names = slices.DeleteFunc(names, func(full string) bool { return !isNear(name, full) })
	if near := shape.Nearest(name, names); near != "" {
		return "did you mean " + near + "?"
	}
	return "write a full name, as in library.v1.LibraryService.GetBook"
}

// isNear says whether the service and the method of a full name are each near to those of another, for a long name that two
// share in part makes anything near.
func isNear(name, full string) bool {
	given, method := parted(name)
	service, simple := parted(full)
	return shape.Nearest(method, []string{simple}) != "" && (given == service || shape.Nearest(given, []string{service}) != "")
}

// parted cuts a full name before its last part.
func parted(name string) (parent, simple string) {
	at := strings.LastIndexByte(name, '.')
	return name[:max(at, 0)], name[at+1:]
}
