package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	echov1 "github.com/mcpgrpc/bridge/gen/echo/v1"
	libraryv1 "github.com/mcpgrpc/bridge/gen/library/v1"
)

func TestUsage(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		args []string
		code int
		want string
	}{
		"no service": {nil, 2, "serve: name at least one service: conformance, echo, library, orders\n"},
		"unknown service": {
			[]string{"library", "bookshop"}, 2, "serve: unknown service \"bookshop\"; there are conformance, echo, library, orders\n",
		},
		"named twice":  {[]string{"echo", "echo"}, 2, "serve: service \"echo\" is named twice; name it once\n"},
		"unknown flag": {[]string{"--port", "1", "echo"}, 2, "serve: unknown flag: --port; see serve --help\n"},
		"flag without port": {
			[]string{"--listen", "localhost", "echo"},
			2,
			"serve: --listen \"localhost\" is not host:port; write for example --listen 127.0.0.1:0\n",
		},
		"wrong rest": {
			[]string{"--listen", "127.0.0.1:0", "--rest", "x", "echo"},
			2,
			"serve: --rest \"x\" is not host:port; write for example --rest 127.0.0.1:0\n",
		},
		"no routes": {
			[]string{"--rest", "127.0.0.1:0", "echo", "conformance"},
			2,
			"serve: service \"conformance\" has no REST routes; leave out --rest or the service\n",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var stderr bytes.Buffer
			if code := run(t.Context(), tt.args, io.Discard, &stderr); code != tt.code || stderr.String() != tt.want {
				t.Errorf("exit %d with\n%s\nwant %d with\n%s", code, stderr.String(), tt.code, tt.want)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"--help"}, &stdout, &stderr); code != 0 || stderr.Len() > 0 {
		t.Errorf("exit %d, stderr %q", code, stderr.String())
	}
	for _, want := range []string{"conformance, echo, library, orders", "--listen host:port", "--rest host:port", "Examples:"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("help lacks %q:\n%s", want, stdout.String())
		}
	}
}

func TestPortInUse(t *testing.T) {
	t.Parallel()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { lis.Close() })
	taken := lis.Addr().String()
	tests := map[string][]string{
		"--listen": {"--listen", taken, "library"},
		"--rest":   {"--listen", "127.0.0.1:0", "--rest", taken, "library"},
	}
	for flag, args := range tests {
		t.Run(flag, func(t *testing.T) {
			t.Parallel()
			var stderr bytes.Buffer
			code := run(t.Context(), args, io.Discard, &stderr)
			want := fmt.Sprintf("serve: %s: listen tcp %s: bind: address already in use; choose another address, or port 0 for a free one\n", flag,
				taken)
			if code != 1 || stderr.String() != want {
				t.Errorf("exit %d with %q, want 1 with %q", code, stderr.String(), want)
			}
		})
	}
}

// started runs the program until the test ends, when it must exit with 0, and
// returns its addresses: what it printed behind "gRPC on " and "REST on ".
func started(t *testing.T, args ...string) (grpcAddr, rest string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	out, in := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, append(args, "--listen", "127.0.0.1:0"), io.Discard, in)
		in.Close()
	}()
	lines := bufio.NewScanner(out)
	read := func(prefix string) string {
		if !lines.Scan() || !strings.HasPrefix(lines.Text(), prefix) {
			t.Fatalf("printed %q, want a line that begins with %q", lines.Text(), prefix)
		}
		return strings.TrimPrefix(lines.Text(), prefix)
	}
	grpcAddr = read("gRPC on ")
	if strings.Contains(strings.Join(args, " "), "--rest") {
		rest = read("REST on ")
	}
	t.Cleanup(func() {
		cancel()
		go io.Copy(io.Discard, out)
		if got := <-code; got != 0 {
			t.Errorf("exit code %d after its end was asked for, want 0", got)
		}
	})
	return grpcAddr, rest
}

func dial(t *testing.T, addr string) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient("passthrough:///"+addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func TestServesOnlyWhatIsNamed(t *testing.T) {
	t.Parallel()
	addr, _ := started(t, "library")
	conn := dial(t, addr)
	if _, err := libraryv1.NewLibraryServiceClient(conn).GetBook(t.Context(), &libraryv1.GetBookRequest{Name: "books/dune"}); err != nil {
		t.Errorf("GetBook: %v", err)
	}
	if _, err := echov1.NewEchoServiceClient(conn).Echo(t.Context(), &echov1.EchoRequest{}); err == nil {
		t.Error("the echo service answers although it was not named")
	}
}

// TestREST shows that the REST face is the same service as the gRPC one.
func TestREST(t *testing.T) {
	t.Parallel()
	_, rest := started(t, "library", "echo", "--rest", "127.0.0.1:0")
	tests := []struct {
		name, method, path, body string
		status                   int
		want                     string
	}{
		{"get", http.MethodGet, "/v1/books/dune", "", 200, `"catalogNumber":"9007199254740993"`},
		{"filter and page", http.MethodGet, "/v1/books?page_size=1&filter=author%3D%22Frank+Herbert%22", "", 200, `"totalSize":2`},
		{"create", http.MethodPost, "/v1/books?book_id=emma", `{"title":"Emma","author":"Jane Austen"}`, 200, `"name":"books/emma"`},
		{"update what the body has", http.MethodPatch, "/v1/books/emma", `{"pageCount":474}`, 200, `"title":"Emma"`},
		{"delete", http.MethodDelete, "/v1/books/emma", "", 200, `{}`},
		{"not found", http.MethodGet, "/v1/books/emma", "", 404, `"resourceName":"books/emma"`},
		{"invalid", http.MethodGet, "/v1/books?page_size=1000", "", 400, `"field":"page_size"`},
		{"echo", http.MethodPost, "/v1/echo", `{"everything":{"singleInt64":"-9007199254740993"}}`, 200, `"singleInt64":"-9007199254740993"`},
		{"size", http.MethodGet, "/v1/echo:size?page_size=1", "", 200, `"name":"element-0"`},
		{"stream", http.MethodGet, "/v1/echo:count?limit=2", "", 200, `{"result":{"number":2}}`},
		{"executions", http.MethodGet, "/v1/executions/a1", "", 200, `"executions":"0"`},
	}
	for _, tt := range tests { // one after the other: they share a book
		status, body := request(t, tt.method, rest+tt.path, tt.body)
		if status != tt.status || !strings.Contains(strings.ReplaceAll(body, " ", ""), tt.want) {
			t.Errorf("%s: %s %s = %d %s, want %d with %s", tt.name, tt.method, tt.path, status, body, tt.status, tt.want)
		}
	}
}

func request(t *testing.T, method, url, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(text)
}
