package server

import (
	"google.golang.org/grpc/codes"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// metaError is the key of a result's _meta under which a tool's failure stands as
// data, beside its text. It is our own, with our prefix.
const metaError = "io.github.mcpgrpc.bridge/error"

// metaFaults is the key under which a result says what is wrong with the answers of
// a client, a list of sentences: also our own.
const metaFaults = "io.github.mcpgrpc.bridge/faults"

// data is a fault as data: code, message, outcome, and whether a retry can help,
// as [backend.Failure.AppendData] has it for the status of a backend.
func (f *fault) data() []byte {
	if f.kind == faultBackend {
		return f.failure.AppendData(nil)
	}
	failure := backend.Failure{Code: codes.Internal, Message: f.text, Execution: backend.Executed}
	if f.streams {
		failure.Execution = backend.Unknown
	}
	switch f.kind {
	case faultArgument:
		failure.Code, failure.Execution = codes.InvalidArgument, backend.NotExecuted
	case faultTooLarge:
		failure.Code = codes.ResourceExhausted
	case faultBridge:
		failure.Message, failure.Execution = "the bridge failed", backend.Unknown
	}
	return failure.AppendData(nil)
}

// meta is the _meta of a tool's failure.
func (f *fault) meta() []byte {
	meta := jsonrpc.AppendString([]byte{'{'}, metaError)
	return append(append(append(meta, ':'), f.data()...), '}')
}

// internal is the error for a fault of ours in a call, of which nobody can say
// how far it came.
func internal() *jsonrpc.Error {
	e := jsonrpc.Internal()
	e.Data = (&fault{kind: faultBridge}).data()
	return e
}

// faultsMeta is the _meta that tells of faults in answers; nil for none.
func faultsMeta(faults []string) []byte {
	if len(faults) == 0 {
		return nil
	}
	meta := append(jsonrpc.AppendString([]byte{'{'}, metaFaults), ':', '[')
	for i, fault := range faults {
		if i > 0 {
			meta = append(meta, ',')
		}
		meta = jsonrpc.AppendString(meta, fault)
	}
	return append(meta, ']', '}')
}
