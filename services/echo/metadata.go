package echo

import (
	"context"
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/types/known/durationpb"

	echov1 "github.com/mcpgrpc/bridge/gen/echo/v1"
	"github.com/mcpgrpc/bridge/services/violation"
)

// binarySuffix ends the names of entries whose values are bytes.
const binarySuffix = "-bin"

var (
	metadataName = regexp.MustCompile(`^[0-9a-z_.-]+$`)
	metadataText = regexp.MustCompile(`^[ -~]*$`)
)

// Metadata returns the metadata that arrived, and sends what is requested. It
// must run on a gRPC server: called directly, it can send nothing.
func (s *Server) Metadata(ctx context.Context, req *echov1.MetadataRequest) (*echov1.MetadataResponse, error) {
	header, err := outgoing("header", req.GetHeader())
	if err != nil {
		return nil, err
	}
	trailer, err := outgoing("trailer", req.GetTrailer())
	if err != nil {
		return nil, err
	}
	if err := grpc.SetHeader(ctx, header); err != nil {
		return nil, err
	}
	if err := grpc.SetTrailer(ctx, trailer); err != nil {
		return nil, err
	}
	res := &echov1.MetadataResponse{Received: received(ctx)}
	if deadline, ok := ctx.Deadline(); ok {
		res.TimeLeft = durationpb.New(time.Until(deadline))
	}
	return res, nil
}

// outgoing checks the entries of a request field, whose name is field.
func outgoing(field string, entries map[string]string) (metadata.MD, error) {
	md := metadata.MD{}
	for name, value := range entries {
		path := field + "[" + name + "]"
		if !metadataName.MatchString(name) || strings.HasPrefix(name, "grpc-") {
			return nil, violation.Error(violation.Field(path,
				"write the name in lower-case letters, digits, \"-\", \"_\" and \".\", without \"grpc-\" at its start"))
		}
		if strings.HasSuffix(name, binarySuffix) {
			raw, err := base64.StdEncoding.DecodeString(value)
			if err != nil {
				return nil, violation.Error(violation.Field(path, "write the bytes as base64: %v", err))
			}
			value = string(raw)
		} else if !metadataText.MatchString(value) {
			return nil, violation.Error(violation.Field(path, "write printable ASCII, or end the name in -bin and write base64"))
		}
		md.Append(name, value)
	}
	return md, nil
}

func received(ctx context.Context) map[string]*echov1.MetadataValues {
	md, _ := metadata.FromIncomingContext(ctx)
	entries := make(map[string]*echov1.MetadataValues, len(md))
	for name, values := range md {
		values = slices.Clone(values)
		if strings.HasSuffix(name, binarySuffix) {
			for i, value := range values {
				values[i] = base64.StdEncoding.EncodeToString([]byte(value))
			}
		}
		entries[name] = &echov1.MetadataValues{Values: values}
	}
	return entries
}
