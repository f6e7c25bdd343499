package search

import (
	"slices"
	"strings"
)

// Document is what is known of one method.
type Document struct {
	// Name is the tool's name, and Method the full name of its gRPC method.
	Name, Method string
	// Title and Description are what the tool says of itself.
	Title, Description string
	// Arguments are the names of arguments, further down included, and Texts what is said of them.
	Arguments, Texts []string
	// Results are the names of what comes back, and Service is what is said of the method's service.
	Results []string
	Service string
	// Streams says that requests or responses are streamed: of methods that fit alike, others are easier to call.
	Streams bool
}

// Index ranks documents. It is immutable and safe for concurrent use.
type Index struct {
	documents int
	words     map[string]int32 // stem → its place in postings
	sorted    []string         // the stems
	postings  [][]posting
	traits    []trait            // by document
	names     map[string][]int32 // folded names of tools and methods → documents
}

// New indexes documents, in time and space linear in their texts, but for the sorting of their words.
func New(documents []Document) *Index {
	b := newBuilder(len(documents))
	for i := range documents {
		b.add(&documents[i])
	}
	return b.index()
}

// Search returns the places of the documents that fit a query, the best first; equal ones in their order. keep chooses among
// the documents by their places; nil keeps all. A query without words finds every document, in their order. The name of a
// tool or the full name of a method, with dots or slashes, finds that one first. What fits far worse than the best is left
// out. Of a long query only the beginning is read.
func (x *Index) Search(query string, keep func(int) bool) []int {
	if keep == nil {
		keep = func(int) bool { return true }
	}
	query = clip(query)
	asked := parse(query)
	if len(asked) == 0 {
		return x.all(keep)
	}
	r := ranking{index: x, intent: intentOfQuery(asked), keep: keep, found: make([]found, x.documents)}
	for _, g := range x.groups(asked) {
		r.group(g)
	}
	return first(x.names[fold(query)], r.places(), keep)
}

// first puts the documents of which a query is the name before all others.
func first(named []int32, places []int, keep func(int) bool) []int {
	for _, d := range slices.Backward(named) {
		if keep(int(d)) {
			places = slices.DeleteFunc(places, func(place int) bool { return place == int(d) })
			places = slices.Insert(places, 0, int(d))
		}
	}
	return places
}

// all returns the places of all documents that are kept.
func (x *Index) all(keep func(int) bool) []int {
	places := make([]int, 0, x.documents)
	for i := range x.documents {
		if keep(i) {
			places = append(places, i)
		}
	}
	return places
}

// longestQuery is how many bytes of a query are read.
const longestQuery = 1024

// clip cuts a query at the last blank before the bound.
func clip(query string) string {
	if len(query) <= longestQuery {
		return query
	}
	query = query[:longestQuery]
	if blank := strings.LastIndexByte(query, ' '); blank > 0 {
		query = query[:blank]
	}
	return strings.ToValidUTF8(query, "")
}

// fold is the same for all spellings of one name: a path of gRPC is written as a full name, and letter case does not count.
func fold(name string) string {
	name = strings.TrimPrefix(strings.TrimSpace(name), "/")
	return strings.ToLower(strings.ReplaceAll(name, "/", "."))
}
