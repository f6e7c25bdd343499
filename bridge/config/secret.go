package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"google.golang.org/grpc/metadata"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// maxSecret bounds the file of a secret, which becomes a header: 8 KiB.
const maxSecret = 8 << 10

// resolveHeaders reads the values of headers. All that cannot be read or sent is reported at once; no error shows a value.
func resolveHeaders(headers []*configv1.Header) (metadata.MD, error) {
	md := metadata.MD{}
	var errs []error
	for _, h := range headers {
		value, err := resolve(h)
		if err != nil {
			errs = append(errs, fmt.Errorf("header %q: %w", h.GetName(), err))
			continue
		}
		md.Append(h.GetName(), value)
	}
	return md, errors.Join(append(errs, sendable(md))...)
}

// resolve returns the value of one header.
func resolve(h *configv1.Header) (string, error) {
	switch source := h.GetSecret().GetSource().(type) {
	case *configv1.Secret_Env:
		value, ok := os.LookupEnv(source.Env)
		if !ok || value == "" {
			return "", fmt.Errorf("environment variable %s is not set: export it, or take the header away", source.Env)
		}
		return value, nil
	case *configv1.Secret_File:
		return readSecret(source.File)
	}
	return h.GetLiteral(), nil
}

// readSecret reads a file and drops one line end at its end, which editors add.
func readSecret(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read the secret: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
	if err != nil {
		return "", fmt.Errorf("read the secret: %w", err)
	}
	if len(data) > maxSecret {
		return "", fmt.Errorf("file %s is larger than the %d bytes that a header may have: name the file of the secret itself", path, maxSecret)
	}
	value := strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r")
	if value == "" {
		return "", fmt.Errorf("file %s is empty: write the secret into it", path)
	}
	return value, nil
}

// sendable refuses what cannot travel as metadata, line ends above all: they are what an injected header begins with. The
// rules are those of the package that sends it.
func sendable(md metadata.MD) error {
	_, err := backend.New(backend.Config{Headers: md})
	return err
}
