package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/metadata"

	"github.com/mcpgrpc/bridge/bridge/config"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// write puts a secret into a file of the test's own.
func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// dialHeaders dials a backend with headers and returns what they resolved to.
func dialHeaders(t *testing.T, headers ...*configv1.Header) (metadata.MD, error) {
	t.Helper()
	c := valid()
	c.Backends[0].Headers = headers
	setup, err := config.Dial(c)
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { setup.Close() })
	return setup.Backends[0].Headers, nil
}

func TestHeaders(t *testing.T) {
	t.Setenv("BRIDGE_TEST_TOKEN", "Bearer abc")
	got, err := dialHeaders(t,
		literal("x-plain", "v"), literal("x-empty", ""), literal("x-many", "1"), literal("x-many", "2"),
		env("authorization", "BRIDGE_TEST_TOKEN"),
		file("x-file", write(t, "from file\n")), file("x-crlf", write(t, "from file\r\n")), file("x-bare", write(t, "bare")),
		file("x-bytes-bin", write(t, "\x00\n\xff")),
	)
	if err != nil {
		t.Fatal(err)
	}
	want := metadata.MD{
		"x-plain": {"v"}, "x-empty": {""}, "x-many": {"1", "2"}, "authorization": {"Bearer abc"},
		"x-file": {"from file"}, "x-crlf": {"from file"}, "x-bare": {"bare"}, "x-bytes-bin": {"\x00\n\xff"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
}

func TestHeadersRefused(t *testing.T) {
	t.Setenv("BRIDGE_TEST_EMPTY", "")
	for _, tt := range []struct {
		name   string
		header *configv1.Header
		want   string
	}{
		{"no variable", env("x", "BRIDGE_TEST_UNSET"), "environment variable BRIDGE_TEST_UNSET is not set: export it"},
		{"empty variable", env("x", "BRIDGE_TEST_EMPTY"), "environment variable BRIDGE_TEST_EMPTY is not set"},
		{"no file", file("x", "/nowhere/token"), "read the secret: open /nowhere/token: no such file or directory"},
		{"directory", file("x", t.TempDir()), "is a directory"},
		{"empty file", file("x", write(t, "\n")), "is empty: write the secret into it"},
		{"large file", file("x", write(t, strings.Repeat("hunter2", 2000))), "is larger than the 8192 bytes"},
		{"two line ends", file("x", write(t, "hunter2\n\n")), "its value has a character outside printable ASCII, such as a line end"},
		{
			"injected header", file("x", write(t, "hunter2\r\nx-admin: yes")),
			"its value has a character outside printable ASCII, such as a line end",
		},
		{"not ASCII", file("x", write(t, "hunter2ü")), "its value has a character outside printable ASCII"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := dialHeaders(t, tt.header)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), `backend "default": header "x": `) {
				t.Fatalf("error %v, want %q", err, tt.want)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error shows the secret: %v", err)
			}
		})
	}
}

// TestHeadersTogether: what each header may have, all of them together may not.
func TestHeadersTogether(t *testing.T) {
	t.Parallel()
	secret := file("x", write(t, strings.Repeat("x", 5000)))
	if _, err := dialHeaders(t, secret); err != nil {
		t.Error(err)
	}
	if _, err := dialHeaders(t, secret, secret); err == nil ||
		!strings.Contains(err.Error(), "the headers take 10002 bytes together: shorten them to 8192") {
		t.Errorf("error %v", err)
	}
}

// TestAllSecretsReported: the faults of all headers come at once.
func TestAllSecretsReported(t *testing.T) {
	t.Parallel()
	_, err := dialHeaders(t, env("a", "BRIDGE_TEST_UNSET"), literal("fine", ""), file("b", "/nowhere"))
	if err == nil || !strings.Contains(err.Error(), `header "a"`) || !strings.Contains(err.Error(), `header "b"`) {
		t.Errorf("error %v", err)
	}
}
