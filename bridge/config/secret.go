package config

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"google.golang.org/grpc/metadata"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// maxSecret bounds the file of a secret, which becomes a header: 8 KiB.
const maxSecret = 8 << 10

// shelf is where the files of one configuration are read.
type shelf struct {
	ctx   context.Context
	files *Reader
	until time.Time
}

// newShelf is one whose files are to be read from now on.
func newShelf(ctx context.Context, files *Reader) shelf {
	return shelf{ctx, files, time.Now().Add(ReadTimeout)}
}

// read returns what is in a file, of which errors name it.
func (s shelf) read(path string, most int64) ([]byte, error) {
	text, err := s.files.read(s.ctx, path, s.until, most)
	var of *fs.PathError
	if err != nil && !errors.As(err, &of) {
		return nil, fmt.Errorf("%s %w", path, err)
	}
	return text, err
}

// resolveHeaders reads the values of headers. All that cannot be read or sent is reported at once; no error shows a value.
func (s shelf) resolveHeaders(headers []*configv1.Header) (metadata.MD, error) {
	md := metadata.MD{}
	var errs []error
	for _, h := range headers {
		value, err := s.resolve(h)
		if err != nil {
			errs = append(errs, fmt.Errorf("header %q: %w", h.GetName(), err))
			continue
		}
		md.Append(h.GetName(), value)
	}
	return md, errors.Join(append(errs, sendable(md))...)
}

// resolve returns the value of one header.
func (s shelf) resolve(h *configv1.Header) (string, error) {
	if h.GetSecret().GetSource() == nil {
		return h.GetLiteral(), nil
	}
	return s.secret(h.GetSecret(), "header")
}

// secret returns the value of a secret, which is not empty; what is what it is for.
func (s shelf) secret(secret *configv1.Secret, what string) (string, error) {
	if file := secret.GetFile(); file != "" {
		return s.readSecret(file)
	}
	name := secret.GetEnv()
	value, ok := os.LookupEnv(name)
	if !ok || value == "" {
		return "", fmt.Errorf("environment variable %s is not set: export it, or take the %s away", name, what)
	}
	return value, nil
}

// readSecret reads a file and drops one line end at its end, which editors add.
func (s shelf) readSecret(path string) (string, error) {
	data, err := s.read(path, maxSecret)
	if err != nil {
		return "", fmt.Errorf("read the secret: %w", err)
	}
	if len(data) > maxSecret {
		return "", fmt.Errorf("file %s is larger than the %d bytes that a secret may have: name the file of the secret itself", path, maxSecret)
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
