package backend

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/grpc/metadata"

	"github.com/mcpgrpc/bridge/bridge/ask"
)

// maxHeaderBytes bounds the names and values of all static headers together. Servers commonly refuse more than 8 KiB.
const maxHeaderBytes = 8 << 10

// normalHeaders folds names to lower case and refuses what gRPC would refuse at each call, or would misread. All faults
// are reported at once. Values are never part of an error: they are often secrets.
func normalHeaders(headers metadata.MD) (metadata.MD, error) {
	normal := make(metadata.MD, len(headers))
	var errs []error
	size := 0
	for name, values := range headers {
		key := strings.ToLower(name)
		if err := checkHeader(key, values); err != nil {
			errs = append(errs, err)
		}
		for _, v := range values {
			size += len(key) + len(v)
		}
		normal[key] = append(normal[key], values...)
	}
	if size > maxHeaderBytes {
		errs = append(errs, fmt.Errorf("the headers take %d bytes together: shorten them to %d", size, maxHeaderBytes))
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return normal, errors.Join(errs...)
}

// checkHeader refuses names outside [0-9a-z_.-] and, but for -bin names, values outside printable ASCII: the rules of
// the gRPC protocol for metadata.
func checkHeader(key string, values []string) error {
	if key == "" || strings.Trim(key, "0123456789abcdefghijklmnopqrstuvwxyz_.-") != "" {
		return fmt.Errorf("header %q: a name has only letters, digits, '-', '_' and '.'", key)
	}
	if reserved(key) {
		return fmt.Errorf("header %q: this name belongs to gRPC or HTTP/2; choose another", key)
	}
	if key == ask.ResponsesKey || key == ask.CapabilitiesKey {
		return fmt.Errorf("header %q: %s; take it away", key, belongsToAnswers)
	}
	if strings.HasSuffix(key, "-bin") {
		return nil
	}
	for _, v := range values {
		if !printable(v) {
			return fmt.Errorf("header %q: its value has a character outside printable ASCII, such as a line end; "+
				"remove it or use a name that ends in -bin", key)
		}
	}
	return nil
}

// printable reports whether text is what gRPC takes as the value of a header: printable ASCII, or nothing.
func printable(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r < 0x20 || r > 0x7e }) < 0
}

// reserved reports names that the transport sets itself and those that are meaningless or dangerous on HTTP/2.
func reserved(key string) bool {
	switch key {
	case "content-type", "user-agent", "te", "host", "connection", "keep-alive", "proxy-connection", "transfer-encoding",
		"upgrade", "content-length":
		return true
	}
	return strings.HasPrefix(key, "grpc-")
}
