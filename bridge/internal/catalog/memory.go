package catalog

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// Renaming is a tool that is called otherwise than when it was served last.
type Renaming struct {
	// Backend is the backend's name, and Method the method's full name.
	Backend, Method string
	// From is what it was called and To what it is called now.
	From, To string
}

// maxAway is how many methods that are not there any more have their names remembered, so that a backend whose methods are
// others with each reload does not take ever more memory.
const maxAway = 4096

// memory is what methods have been called in the catalogs so far. It is never changed; the zero value is that before the first.
type memory struct {
	catalogs int // how many there have been
	names    map[place]called
}

// place is a method of a backend.
type place struct {
	backend string
	method  protoreflect.FullName
}

func (p place) compare(other place) int {
	return cmp.Or(strings.Compare(p.backend, other.backend), strings.Compare(string(p.method), string(other.method)))
}

// called is what a method was called last.
type called struct {
	name  string
	given bool // for it, rather than derived: nobody else is kept from it
	gone  int  // the first catalog without the method; 0 while it is there
}

// remembered returns what is known of names from the catalog before, as far as it is of backends that there still are.
func remembered(sources []Source, opts Options) memory {
	if opts.Before == nil {
		return memory{}
	}
	there := map[string]bool{}
	for _, name := range opts.Backends {
		there[name] = true
	}
	for i := range sources {
		there[sources[i].Backend.Name()] = true
	}
	known := memory{catalogs: opts.Before.names.catalogs, names: maps.Clone(opts.Before.names.names)}
	maps.DeleteFunc(known.names, func(at place, _ called) bool { return !there[at.backend] })
	return known
}

// held returns the name that was derived for a method, "" for none.
func (m memory) held(at place) string {
	if last := m.names[at]; !last.given {
		return last.name
	}
	return ""
}

// others returns the parties that hold a name and are not here.
func (m memory) others(here map[place]bool) []Party {
	var parties []Party
	for at, last := range m.names { // in any order, on which names do not depend
		if !last.given && !here[at] {
			parties = append(parties, Party{Backend: at.backend, Method: at.method, Held: last.name})
		}
	}
	return parties
}

// after is the memory after a catalog in which all have been named. A name is held once: what is no tool, and has that of one by
// chance, does not hold it.
func (m memory) after(all []*made) memory {
	next := memory{catalogs: m.catalogs + 1, names: make(map[place]called, len(m.names))}
	for at, last := range m.names {
		last.gone = cmp.Or(last.gone, next.catalogs)
		next.names[at] = last
	}
	tools := map[string]bool{}
	for _, one := range all {
		if one.tool != nil {
			tools[one.name] = true
		}
	}
	for _, one := range all {
		switch {
		case one.isEmpty():
		case one.tool == nil && tools[one.name]:
			delete(next.names, one.place())
		default:
			next.names[one.place()] = called{name: one.name, given: one.namedBy() != derivation}
		}
	}
	next.forget()
	return next
}

// forget drops the names of those that went first, where too many are away.
func (m memory) forget() {
	var away []place
	for at, last := range m.names {
		if last.gone > 0 {
			away = append(away, at)
		}
	}
	if len(away) <= maxAway {
		return
	}
	slices.SortFunc(away, func(a, b place) int { return cmp.Or(cmp.Compare(m.names[a].gone, m.names[b].gone), a.compare(b)) })
	for _, at := range away[:len(away)-maxAway] {
		delete(m.names, at)
	}
}

// renamed returns those of some tools that were called otherwise before.
func (m memory) renamed(tools []*Tool) []Renaming {
	var found []Renaming
	for _, t := range tools {
		at := place{t.Backend.Name(), t.Method.FullName()}
		if last, known := m.names[at]; known && last.name != t.Definition.Name {
			found = append(found, Renaming{Backend: at.backend, Method: string(at.method), From: last.name, To: t.Definition.Name})
		}
	}
	slices.SortFunc(found, func(a, b Renaming) int {
		return cmp.Or(strings.Compare(a.Backend, b.Backend), strings.Compare(a.Method, b.Method))
	})
	return found
}
