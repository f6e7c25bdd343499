package main

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/reflection"

	"github.com/mcpgrpc/bridge/services/library"
)

// TestEarly: what is read early is read again, and only an end before anything came ends the start.
func TestEarly(t *testing.T) {
	t.Parallel()
	const message = `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n"
	long, fault := strings.Repeat(message, 1000), errors.New("cable pulled")
	for name, tt := range map[string]struct {
		source io.Reader
		want   string
		err    error // of reading
		cause  error // of the end of the start
	}{
		"nothing":                 {source: strings.NewReader(""), cause: errLeft},
		"blanks":                  {source: strings.NewReader("\n \r\n\t"), cause: errLeft},
		"many blanks":             {source: strings.NewReader(strings.Repeat("\n", 1<<16)), cause: errLeft},
		"one message":             {source: strings.NewReader(message), want: message},
		"blanks before a message": {source: strings.NewReader("\n\n" + message), want: message},
		"half a message":          {source: strings.NewReader(message[:9]), want: message[:9]},
		"many messages":           {source: strings.NewReader(long), want: long},
		"byte by byte":            {source: iotest.OneByteReader(strings.NewReader(" " + message)), want: message},
		"the end with the data":   {source: iotest.DataErrReader(strings.NewReader(message)), want: message},
		"a failure":               {source: iotest.ErrReader(fault), err: fault},
		"a failure behind a message": {
			source: iotest.DataErrReader(io.MultiReader(strings.NewReader(message), iotest.ErrReader(fault))), want: message, err: fault,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, in := readEarly(t.Context(), tt.source)
			got, err := io.ReadAll(iotest.HalfReader(in))
			if string(got) != tt.want || !errors.Is(err, tt.err) {
				t.Errorf("read %.80q and %v, want %.80q and %v", got, err, tt.want, tt.err)
			}
			if cause := context.Cause(ctx); !errors.Is(cause, tt.cause) {
				t.Errorf("the start ends for %v, want %v", cause, tt.cause)
			}
		})
	}
}

// TestStdioKeepsWhatWasAskedEarly: a request that came before the backend had told what it offers is answered once it has, like
// those behind it, at which stdin ends.
func TestStdioKeepsWhatWasAskedEarly(t *testing.T) {
	t.Parallel()
	asked, tell := make(chan struct{}, 1), make(chan struct{})
	backend := startReluctant(t, asked, tell)
	stdin, client := io.Pipe()
	var stdout, stderr strings.Builder
	ended := make(chan int, 1)
	go func() {
		ended <- run(t.Context(), []string{"stdio", "--backend", backend, "--plaintext"}, stdin, &stdout, &stderr)
	}()
	<-asked
	if _, err := io.WriteString(client, "\n"+
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test",`+
		`"version":"1"}}}`+"\n"); err != nil {
		t.Error(err)
	}
	go func() { // waits until the bridge is ready
		_, _ = io.WriteString(client,
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"+`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`+"\n")
		_ = client.Close()
	}()
	close(tell)
	if code := <-ended; code != 0 {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{`"id":1,"result":{"protocolVersion":"2025-11-25"`, `"id":2,"result":{"tools":[`} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("%s is missing in %s\n%s", want, stdout.String(), stderr.String())
		}
	}
}

// TestStdioLeavesWhileStarting: the end of stdin ends a start that would take long; nothing is an error.
func TestStdioLeavesWhileStarting(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{"": nil, "with reload": {"--reload", "1h"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := make(chan struct{}, 1)
			backend := startReluctant(t, asked, nil)
			stdin, client := io.Pipe()
			var stdout, stderr strings.Builder
			ended := make(chan int, 1)
			go func() {
				ended <- run(t.Context(), append([]string{"stdio", "--backend", backend, "--plaintext"}, flags...), stdin, &stdout, &stderr)
			}()
			<-asked
			_ = client.Close()
			select {
			case code := <-ended:
				if code != 0 || stdout.Len() > 0 || strings.Contains(stderr.String(), "bridge: ") ||
					!strings.Contains(stderr.String(), errLeft.Error()) {
					t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout.String(), stderr.String())
				}
			case <-time.After(patience):
				t.Error("it goes on")
			}
		})
	}
}

// startReluctant serves the library with reflection that says on asked when it is asked, and waits for tell.
func startReluctant(t *testing.T, asked chan<- struct{}, tell <-chan struct{}) string {
	t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(grpc.StreamInterceptor(func(
		srv any, ss grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler,
	) error {
		select {
		case asked <- struct{}{}:
		default:
		}
		select {
		case <-tell:
			return next(srv, ss)
		case <-ss.Context().Done():
			return context.Cause(ss.Context())
		}
	}))
	library.New().Register(server)
	reflection.Register(server)
	done := make(chan error, 1)
	go func() { done <- server.Serve(lis) }()
	t.Cleanup(func() {
		server.Stop()
		<-done
	})
	return lis.Addr().String()
}
