package backend

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
)

// Limits of what is forwarded, of each configuration and of each call.
const (
	// MaxForwarded bounds how many headers a backend may have forwarded, and how many values a call may: 32.
	MaxForwarded = 32
	// maxForwardedBytes bounds the names and values of a call that are forwarded, beside those that are static: 8 KiB.
	maxForwardedBytes = 8 << 10
)

// Forward passes one header of a client's HTTP request on.
type Forward struct {
	// Header is the header's name, in any case.
	Header string
	// Metadata is the key under which it is sent, in lower case; "" for that of the header. The values of a key that ends in
	// -bin are those that the header's values encode in base64.
	Metadata string
}

type forwardedKey struct{}

// WithForwarded has the calls made with the returned context carry what their backend's configuration forwards of headers,
// which are those of a client by their canonical names. They must not be written to again.
func WithForwarded(ctx context.Context, headers map[string][]string) context.Context {
	if len(headers) == 0 {
		return ctx
	}
	return context.WithValue(ctx, forwardedKey{}, headers)
}

// normalForwards completes the names and refuses those that cannot be forwarded, and two that become one key, be it with
// a static header.
func normalForwards(list []Forward, static metadata.MD) ([]Forward, error) {
	taken := map[string]string{}
	for key := range static {
		taken[fold(key)] = "a static header"
	}
	var errs []error
	if len(list) > MaxForwarded {
		errs = append(errs, fmt.Errorf("%d headers to forward: at most %d are", len(list), MaxForwarded))
	}
	normal := make([]Forward, 0, len(list))
	for _, f := range list {
		if err := CheckForward(f.Header, f.Metadata); err != nil {
			errs = append(errs, err)
			continue
		}
		f.Header, f.Metadata = http.CanonicalHeaderKey(f.Header), cmp.Or(f.Metadata, strings.ToLower(f.Header))
		if by := taken[fold(f.Metadata)]; by != "" {
			errs = append(errs, fmt.Errorf("header %q is forwarded as %q, which %s is sent as: remove one of them", f.Header, f.Metadata, by))
			continue
		}
		taken[fold(f.Metadata)] = fmt.Sprintf("header %q", f.Header)
		normal = append(normal, f)
	}
	return normal, errors.Join(errs...)
}

// forward adds what is forwarded of the headers of a client.
func (b *Backend) forward(ctx context.Context, out *outgoing) *Failure {
	if len(b.config.Forward) == 0 {
		return nil
	}
	headers, _ := ctx.Value(forwardedKey{}).(map[string][]string)
	if len(headers) == 0 {
		return nil
	}
	count, size := 0, 0
	for i := range b.config.Forward {
		f := &b.config.Forward[i]
		values := headers[f.Header]
		if len(values) == 0 {
			continue
		}
		sent, problem := f.values(values)
		if problem != "" {
			return unforwardable(fmt.Sprintf("header %q of the client's request cannot be forwarded: %s", f.Header, problem))
		}
		for _, v := range values {
			count, size = count+1, size+len(f.Metadata)+len(v)
		}
		if count > MaxForwarded || size > maxForwardedBytes {
			return unforwardable(fmt.Sprintf("the headers of the client's request that are forwarded are too many: "+
				"they may have %d values and %s in all", MaxForwarded, byteSize(maxForwardedBytes)))
		}
		out.set(f.Metadata, sent...)
	}
	return nil
}

// values returns the values of a header as metadata has them, or what is wrong with one of them.
func (f *Forward) values(values []string) (sent []string, problem string) {
	for _, v := range values {
		if !printable(v) {
			return nil, "a value has a character outside printable ASCII"
		}
	}
	if !strings.HasSuffix(f.Metadata, "-bin") {
		return values, ""
	}
	for _, v := range values {
		raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(v, "="))
		if err != nil {
			return nil, "a value is not base64"
		}
		sent = append(sent, string(raw))
	}
	return sent, ""
}

// unforwardable is the failure of a call that is not sent for its metadata.
func unforwardable(message string) *Failure {
	return &Failure{Code: codes.FailedPrecondition, Message: message, Execution: NotExecuted}
}
