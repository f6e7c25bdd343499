package server

import (
	"maps"
	"slices"
)

// Methods returns the names of all requests that are served.
func Methods() []string { return slices.Sorted(maps.Keys(methods)) }
