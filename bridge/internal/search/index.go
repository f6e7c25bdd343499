package search

// Document is what is known of one method.
type Document struct {
	// Name is the tool's name, and Method the full name of its gRPC method.
	Name, Method string
	// Title and Description are what the tool says of itself.
	Title, Description string
	// Arguments are the names of arguments, further down included, and Texts what is said of them.
	Arguments, Texts []string
}

// Index ranks documents. It is immutable and safe for concurrent use.
type Index struct{}

// New indexes documents, in time and space linear in their texts.
func New(documents []Document) *Index { return &Index{} }

// Search returns the places of the documents that fit a query, the best first; equal ones in their order. keep chooses among
// the documents by their places; nil keeps all. A query without words finds every document, in their order.
func (x *Index) Search(query string, keep func(int) bool) []int { return nil }
