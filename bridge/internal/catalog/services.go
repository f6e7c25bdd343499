package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// Service is a service that has tools.
type Service struct {
	// Backend is the name of the backend that serves it.
	Backend string
	// Name is its simple name, or its full one where another has the same simple name.
	Name string
	// Full is its full name.
	Full protoreflect.FullName
	// Tools is how many of its methods are tools.
	Tools int
}

// Services returns the services that have tools: those with the most first, then by name and backend. One that several
// backends serve is there for each of them. The slice is shared: do not change it.
func (c *Catalog) Services() []Service { return c.services() }

// countServices is [Catalog.Services], which is asked for more than once.
func (c *Catalog) countServices() []Service {
	type key struct {
		backend string
		full    protoreflect.FullName
	}
	counts, called := map[key]int{}, map[protoreflect.Name]protoreflect.FullName{}
	ambiguous := map[protoreflect.Name]bool{}
	for _, t := range c.tools {
		service := t.Method.Parent()
		name, full := service.Name(), service.FullName()
		counts[key{t.Backend.Name(), full}]++
		ambiguous[name] = ambiguous[name] || cmp.Or(called[name], full) != full
		called[name] = full
	}
	services := make([]Service, 0, len(counts))
	for k, n := range counts {
		s := Service{Backend: k.backend, Name: string(k.full.Name()), Full: k.full, Tools: n}
		if ambiguous[k.full.Name()] {
			s.Name = string(k.full)
		}
		services = append(services, s)
	}
	slices.SortFunc(services, func(a, b Service) int {
		return cmp.Or(cmp.Compare(b.Tools, a.Tools), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Backend, b.Backend))
	})
	return services
}

// maxNamed is how many services a hint names.
const maxNamed = 8

// NoService says of a filter for services that no tool passes which ones there are: at most eight of those of the backend, the
// largest first, or of all where it is "". It returns "" where the filter is not what keeps tools out.
func (c *Catalog) NoService(filter, backend string) string {
	if filter == "" {
		return ""
	}
	var names []string
	for _, s := range c.Services() {
		if backend != "" && s.Backend != backend {
			continue
		}
		if isService(filter, s.Full) {
			return ""
		}
		if !slices.Contains(names, s.Name) {
			names = append(names, s.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	list := strings.Join(names[:min(len(names), maxNamed)], ", ")
	if more := len(names) - maxNamed; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("no service is called %q: there are %s", jsonrpc.Echo(filter), list)
}

// Instructions says to a model what stands behind the three tools where [Catalog.Searching] says that there are such; "" else.
// It has at most 1,500 bytes, and is the same for equal catalogs.
func (c *Catalog) Instructions() string { return c.guide() }

// maxGuide bounds the instructions, in bytes, and tailGuide what is kept of that for a last line.
const maxGuide, tailGuide = 1500, 60

// makeGuide makes the instructions.
func (c *Catalog) makeGuide() string {
	if !c.searching || len(c.tools) == 0 {
		return ""
	}
	services, several := c.Services(), len(c.Backends()) > 1
	var b strings.Builder
	fmt.Fprintf(&b, "%s finds a method by what it does, %s gives its arguments, %s calls it. There are %s in these services:",
		SearchMethods, DescribeMethod, CallMethod, counted(len(c.tools), "method"))
	rest := len(c.tools)
	for i, s := range services {
		line := "\n- " + s.Name
		if several {
			line += " (backend " + s.Backend + ")"
		}
		line += ": " + strconv.Itoa(s.Tools)
		if b.Len()+len(line) > maxGuide-tailGuide {
			fmt.Fprintf(&b, "\n- %s more: %d", counted(len(services)-i, "service"), rest)
			break
		}
		b.WriteString(line)
		rest -= s.Tools
	}
	return b.String()
}

// counted is a number of things.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}
