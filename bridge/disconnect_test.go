package bridge_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/status"

	"github.com/mcpgrpc/bridge/bridge"
	libraryv1 "github.com/mcpgrpc/bridge/gen/library/v1"
)

// parked is a library whose GetBook waits for the end of its context. It reports the begin, and the end with the reason.
// Its other methods fail at once.
type parked struct {
	libraryv1.UnimplementedLibraryServiceServer
	began chan struct{}
	ended chan error
}

func newParked() *parked { return &parked{began: make(chan struct{}), ended: make(chan error, 1)} }

func (p *parked) Register(r grpc.ServiceRegistrar) { libraryv1.RegisterLibraryServiceServer(r, p) }

func (p *parked) GetBook(ctx context.Context, _ *libraryv1.GetBookRequest) (*libraryv1.Book, error) {
	close(p.began)
	<-ctx.Done()
	p.ended <- ctx.Err()
	return nil, status.FromContextError(ctx.Err()).Err()
}

// observed serves h and tells, by the address of its connection, of each request whose end net/http has noticed: because
// its client has left, or because it was answered.
func observed(t *testing.T, h http.Handler) (url string, over <-chan string) {
	t.Helper()
	seen := make(chan string, 64)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		context.AfterFunc(r.Context(), func() { seen <- r.RemoteAddr })
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	return srv.URL, seen
}

// start sends a request over a connection of its own and does not read the answer.
func (c *client) start(t *testing.T, url, method string, params map[string]any) net.Conn {
	t.Helper()
	c.nextID++
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(c.message(t, c.nextID, method, params)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = c.headers(method, params)
	conn, err := net.Dial("tcp", req.URL.Host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := req.Write(conn); err != nil {
		t.Fatal(err)
	}
	return conn
}

// TestDisconnect: from the client's socket to the gRPC server, what the closing of a connection does. In the modern era
// it cancels the call. In the legacy era it does not, and notifications/cancelled on another connection does.
func TestDisconnect(t *testing.T) {
	t.Parallel()
	for _, version := range revisions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			backend := newParked()
			b := newBridge(t, []bridge.Backend{{Conn: startServices(t, backend), Descriptors: libraryOnly}})
			url, over := observed(t, b)
			c := httpClient(t, url, version)
			conn := c.start(t, url, "tools/call", map[string]any{"name": "library_get_book", "arguments": map[string]any{"name": "books/dune"}})
			id := c.nextID
			<-backend.began
			conn.Close()
			if version != modern {
				for <-over != conn.LocalAddr().String() { // until the server has noticed
				}
				c.call(t, "library_list_books", `{}`) // to the backend and back
				select {
				case err := <-backend.ended:
					t.Fatalf("the closing of the connection ended the call with %v", err)
				default:
				}
				c.notify(t, "notifications/cancelled", map[string]any{"requestId": id})
			}
			select {
			case err := <-backend.ended:
				if !errors.Is(err, context.Canceled) {
					t.Errorf("the call ended with %v", err)
				}
			case <-time.After(20 * time.Second): // well before the call's deadline, which would end it too
				t.Error("the call goes on")
			}
		})
	}
}
