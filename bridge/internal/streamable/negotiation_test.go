package streamable_test

import (
	"net/http"
	"testing"
)

// TestAccept: only a client that cannot take JSON is refused. The specification has clients list both media types;
// each row says what others send.
func TestAccept(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		accept []string
		served bool
	}{
		{"both, as the specification says", []string{"application/json, text/event-stream"}, true},
		{"the other way round", []string{"text/event-stream,application/json"}, true},
		{"in two headers", []string{"text/event-stream", "application/json"}, true},
		{"JSON alone", []string{"application/json"}, true},
		{"anything", []string{"*/*"}, true},
		{"any application", []string{"application/*"}, true},
		{"in capitals", []string{"APPLICATION/JSON"}, true},
		{"with a charset", []string{"application/json;charset=utf-8"}, true},
		{"with weights", []string{"text/event-stream;q=1, application/json;q=0.001"}, true},
		{"streams, else anything", []string{"text/event-stream, */*;q=0.1"}, true},
		{"not JSON in general but JSON", []string{"application/*;q=0, application/json"}, true},
		{"absent", nil, true},
		{"empty", []string{""}, true},
		{"blank", []string{" "}, true},
		{"streams alone", []string{"text/event-stream"}, false},
		{"JSON excluded", []string{"application/json;q=0, text/event-stream"}, false},
		{"JSON excluded from anything", []string{"*/*, application/json;q=0.000"}, false},
		{"a relative of JSON", []string{"application/json-seq"}, false},
		{"pages", []string{"text/html, text/*"}, false},
		{"nonsense", []string{";;;,=,"}, false},
		{"a weight that is none", []string{"application/json;q=x"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			wantStatus(t, http.StatusNotAcceptable, tt.served, header("Accept", tt.accept...))
		})
	}
}

// TestContentType: application/json in UTF-8 and nothing else, however it is written.
func TestContentType(t *testing.T) {
	t.Parallel()
	for value, served := range map[string]bool{
		"application/json":                          true,
		"Application/JSON":                          true,
		"application/json; charset=utf-8":           true,
		`application/json;charset="UTF-8"`:          true,
		"application/json; charset=utf-8; v=1":      true,
		"application/json;":                         true,
		"application/json; charset=utf-16":          false,
		"application/json; charset=latin1":          false,
		"application/json, text/plain":              false,
		"application/json; charset=utf-8; charset=": false,
		"application/json-patch+json":               false,
		"application/vnd.api+json":                  false,
		"application/jsonp":                         false,
		"text/json":                                 false,
		"text/plain; application/json":              false,
		"text/plain":                                false,
		"*/*":                                       false,
		"json":                                      false,
		"":                                          false,
	} {
		t.Run(value, func(t *testing.T) {
			t.Parallel()
			wantStatus(t, http.StatusUnsupportedMediaType, served, header("Content-Type", value))
		})
	}
}

// TestContentEncoding: a body is taken as it is or not at all.
func TestContentEncoding(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		values []string
		served bool
	}{
		{"absent", nil, true},
		{"empty", []string{""}, true},
		{"identity", []string{"Identity"}, true},
		{"identity twice", []string{"identity, identity"}, true},
		{"gzip", []string{"gzip"}, false},
		{"gzip behind identity", []string{"identity, gzip"}, false},
		{"gzip in a second header", []string{"identity", "gzip"}, false},
		{"an unknown coding", []string{"x"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			wantStatus(t, http.StatusUnsupportedMediaType, tt.served, header("Content-Encoding", tt.values...))
		})
	}
}

// wantStatus POSTs a ping with a change and wants it served, or refused with the status.
func wantStatus(t *testing.T, refusal int, served bool, change func(*http.Request)) {
	t.Helper()
	d := &double{}
	resp := serve(endpoint(d), request("POST", ping, change))
	want, n := refusal, int64(0)
	if served {
		want, n = http.StatusOK, 1
	}
	if resp.StatusCode != want {
		t.Errorf("status %d, want %d; body %s", resp.StatusCode, want, resp.body)
	}
	wantServed(t, d, n)
}
