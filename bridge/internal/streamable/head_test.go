package streamable_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// adding is an answer to whose head somebody adds before it goes out, as a middleware does.
type adding struct{ *httptest.ResponseRecorder }

func (a adding) WriteHeader(status int) {
	for name := range a.Header() {
		a.Header().Add(name, "added")
	}
	a.ResponseRecorder.WriteHeader(status)
}

// TestAddedHeaders: the headers of an answer lie side by side, and one that is added to leaves the others as they are.
func TestAddedHeaders(t *testing.T) {
	t.Parallel()
	w := adding{httptest.NewRecorder()}
	endpoint(&double{}).ServeHTTP(w, request(http.MethodPost, ping))
	wantHeader(t, w.Header(), http.Header{
		"Cache-Control":          {"no-store", "added"},
		"X-Content-Type-Options": {"nosniff", "added"},
		"Content-Type":           {"application/json", "added"},
		"Content-Length":         {"36", "added"},
	})
}
