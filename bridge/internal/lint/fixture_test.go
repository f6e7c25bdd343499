package lint_test

import (
	"strings"
	"testing"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	"github.com/mcpgrpc/bridge/bridge/internal/lint"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/schema"
)

// compile builds one file from source, with its comments.
func compile(t testing.TB, source string) protoreflect.FileDescriptor {
	t.Helper()
	compiler := protocompile.Compiler{
		Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{
			Accessor: protocompile.SourceAccessorFromMap(map[string]string{"test.proto": source}),
		}),
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	files, err := compiler.Compile(t.Context(), "test.proto")
	if err != nil {
		t.Fatal(err)
	}
	return files[0]
}

// shelf is a service with nothing to find fault with; what stands before a method's last parenthesis is its options.
const shelf = `syntax = "proto3";
package shelf.v1;
service ShelfService {
  // Gets one book by its name, with its place on the shelf.
  rpc GetBook(GetBookRequest) returns (Book) { option idempotency_level = NO_SIDE_EFFECTS; }
}
message GetBookRequest {
  // Name of the book.
  string name = 1;
}
message Book {
  string name = 1;
}
`

// subject makes the tool of the first method of a source as the catalog does, in a profile.
func subject(t testing.TB, source string, profile schema.Profile) lint.Subject {
	t.Helper()
	return subjectOf(compile(t, source).Services().Get(0).Methods().Get(0), annotation.NewReader(nil), profile)
}

func subjectOf(md protoreflect.MethodDescriptor, reader *annotation.Reader, profile schema.Profile) lint.Subject {
	return subjectWith(md, reader, schema.New(reader, profile), profile)
}

// nameOf derives a name as the catalog does, but for what that does about long ones and about collisions.
func nameOf(md protoreflect.MethodDescriptor) string {
	words := annotation.Words(strings.TrimSuffix(string(md.Parent().Name()), "Service") + "_" + string(md.Name()))
	name := strings.ToLower(strings.Join(words, "_"))
	return name[:min(len(name), 44)]
}

// subjectWith is [subjectOf] with a generator that may know the messages already.
func subjectWith(md protoreflect.MethodDescriptor, reader *annotation.Reader, g *schema.Generator, profile schema.Profile) lint.Subject {
	said := reader.Method(md)
	description := said.Description
	if description == "" {
		description = "Calls " + string(md.FullName()) + "."
	}
	return lint.Subject{
		Tool: &mcp.Tool{
			Name:         nameOf(md),
			Title:        said.Title,
			Description:  annotation.Cut(description, 1024),
			InputSchema:  g.Input(md.Input()).JSON,
			OutputSchema: g.Output(md.Output(), nil).JSON,
			Hints:        mcp.Hints{ReadOnly: said.Hints.ReadOnly, Destructive: said.Hints.Destructive, Idempotent: said.Hints.Idempotent},
		},
		Method:   md,
		Reader:   reader,
		Portable: profile == schema.Portable,
	}
}
