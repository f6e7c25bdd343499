package bridge

// Descriptor sets, and above all .proto sources, seldom come with the files of the annotations that they use. Those that
// are linked here need not be given.
import (
	_ "buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
	_ "google.golang.org/genproto/googleapis/api/annotations"
	_ "google.golang.org/genproto/googleapis/api/httpbody"
	_ "google.golang.org/genproto/googleapis/api/visibility"
	_ "google.golang.org/genproto/googleapis/rpc/errdetails"
	_ "google.golang.org/genproto/googleapis/rpc/status"

	_ "github.com/mcpgrpc/bridge/gen/bridge/v1"
)
