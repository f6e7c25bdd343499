package main

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestHealth: one line and an exit code, whatever is found at the address.
func TestHealth(t *testing.T) {
	t.Parallel()
	answer := func(status int, body string) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/readyz" {
				t.Errorf("asked for %s", r.URL)
			}
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}))
		t.Cleanup(server.Close)
		return strings.TrimPrefix(server.URL, "http://")
	}
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = gone.Close()
	for _, tt := range []struct {
		name, args     string
		code           int
		stdout, stderr string
	}{
		{
			"ready", answer(200, `{"ready":true,"backends":[{"name":"library","up":true},{"name":"echo","up":false}]}`), 0,
			"ready: library up, echo down\n", "",
		},
		{"not ready", answer(503, `{"ready":false,"backends":[{"name":"library","up":false}]}`), 1, "not ready: library down\n", ""},
		{"starting", answer(503, `{"ready":false,"backends":[]}`), 1, "not ready\n", ""},
		{"a terminal's words", answer(200, `{"ready":true,"backends":[{"name":"\u001b[2J","up":true}]}`), 0, "ready: \ufffd[2J up\n", ""},
		{"in doubt", answer(503, `{"ready":true,"backends":[]}`), 1, "not ready\n", ""},
		{
			"somebody else", answer(404, "not found"), 1, "",
			`answers, with "404 Not Found", but not as the admin listener of a bridge: give its address with --admin`,
		},
		{"elsewhere", answer(307, ""), 1, "", "but not as the admin listener of a bridge"},
		{"no report", answer(200, "OK"), 1, "", "but not as the admin listener of a bridge"},
		{
			"nobody", gone.Addr().String(), 1, "",
			"connection refused; start the bridge with --admin " + gone.Addr().String() +
				", or admin in its configuration, or correct --admin of this command\n",
		},
		{"silence", silent.Addr().String() + " --timeout 20ms", 1, "", "has not answered within 20ms"},
		{
			"no port", "localhost", 2, "",
			`--admin: "localhost" is no address with a port from 1 to 65535; write host:port, such as 127.0.0.1:8081`,
		},
		{"any port", "localhost:0", 2, "", "is no address with a port from 1 to 65535"},
		{"no time", "localhost:1 --timeout 0s", 2, "", "--timeout: must be greater than 0s"},
		{"no unit", "localhost:1 --timeout 2", 2, "", "write it with its unit, such as 30s; see bridge health --help"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := invoke(t, "", strings.Fields("health --admin "+tt.args)...)
			if code != tt.code || stdout != tt.stdout || !strings.Contains(stderr, tt.stderr) || (tt.stderr == "") != (stderr == "") {
				t.Errorf("exit code %d, stdout %q, stderr %q; want %d, %q, %q", code, stdout, stderr, tt.code, tt.stdout, tt.stderr)
			}
		})
	}
}
