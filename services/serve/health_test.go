package main

import (
	"bytes"
	"io"
	"net"
	"strings"
	"testing"
)

func TestHealth(t *testing.T) {
	t.Parallel()
	addr, _ := started(t, "library")
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"health", "--listen", addr}, &stdout, &stderr); code != 0 || stdout.String() != "serving\n" {
		t.Errorf("exit %d with %q and %q, want 0 with serving", code, stdout.String(), stderr.String())
	}
}

func TestHealthOfNobody(t *testing.T) {
	t.Parallel()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone := lis.Addr().String()
	lis.Close()
	mute, err := net.Listen("tcp", "127.0.0.1:0") // accepts nobody
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { mute.Close() })
	tests := map[string]struct {
		args []string
		code int
		want string
	}{
		"refused":     {[]string{"--listen", gone}, 1, "nobody tells of health at " + gone},
		"silent":      {[]string{"--listen", mute.Addr().String(), "--timeout", "100ms"}, 1, "nobody tells of health at"},
		"no address":  {[]string{"--listen", "localhost"}, 2, `--listen "localhost" is not host:port`},
		"an argument": {[]string{"library"}, 2, `unexpected argument "library"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var stderr bytes.Buffer
			code := run(t.Context(), append([]string{"health"}, tt.args...), io.Discard, &stderr)
			if code != tt.code || !strings.Contains(stderr.String(), tt.want) {
				t.Errorf("exit %d with %q, want %d with %q", code, stderr.String(), tt.code, tt.want)
			}
		})
	}
}
