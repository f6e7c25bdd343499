package config

import (
	"context"

	"google.golang.org/grpc/metadata"

	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// ResolveHeaders reads the values of headers from where a configuration says they are: its own text, environment variables
// and files, which have [ReadTimeout] to answer. All that cannot be read or sent is reported at once; no error shows a value.
func ResolveHeaders(headers []*configv1.Header) (metadata.MD, error) {
	return newShelf(context.Background(), new(Reader)).resolveHeaders(headers)
}
