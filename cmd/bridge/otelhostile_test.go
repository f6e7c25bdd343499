package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"

	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// hostiles are collectors that do not do what they should; each returns its URL.
var hostiles = map[string]func(*testing.T) string{
	"down":           func(t *testing.T) string { return "http://" + freeAddress(t) },
	"never answers":  func(t *testing.T) string { return "http://" + listenAnd(t, hang) },
	"closes":         func(t *testing.T) string { return "http://" + listenAnd(t, func(net.Conn) {}) },
	"garbage":        func(t *testing.T) string { return "http://" + listenAnd(t, babble) },
	"garbage in TLS": func(t *testing.T) string { return "https://" + listenAnd(t, babble) },
	"a gigabyte":     func(t *testing.T) string { return "http://" + listenAnd(t, flood) },
	"large message":  largeAnswer,
	"large refusal":  largeRefusal,
}

// TestHostileCollector: whatever the collector does, calls have their results, the queue of spans takes no more than it may,
// and the end waits no longer than it is told to.
func TestHostileCollector(t *testing.T) {
	clearOTel(t, map[string]string{"OTEL_BSP_SCHEDULE_DELAY": "1", "OTEL_BSP_MAX_QUEUE_SIZE": "16"})
	for name, open := range hostiles {
		for _, protocol := range []configv1.Otlp_Protocol{configv1.Otlp_PROTOCOL_GRPC, configv1.Otlp_PROTOCOL_HTTP} {
			t.Run(name+"/"+protocol.String(), func(t *testing.T) {
				var log lockedBuffer
				setup, err := startTelemetry(t.Context(), &configv1.Config{Telemetry: &configv1.Telemetry{
					Otlp: &configv1.Otlp{Endpoint: open(t), Protocol: protocol, Metrics: true},
				}}, false, slog.New(slog.NewTextHandler(&log, nil)))
				if err != nil {
					t.Fatal(err)
				}
				url := serveEcho(t, setup)
				for i := range 100 {
					body, _ := send(t, url, modernHeaders("echo_delay"), delayCall(i, "0s"))
					if !strings.Contains(body, `"result"`) || strings.Contains(body, `"isError":true`) {
						t.Fatal(body)
					}
				}
				ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
				defer cancel()
				setup.Shutdown(ctx)
				if !strings.Contains(log.String(), "spans were not delivered") {
					t.Errorf("nothing is said of what was lost:\n%s", log.String())
				}
				if n := strings.Count(log.String(), "\n"); n > 6 {
					t.Errorf("%d lines are too many:\n%s", n, log.String())
				}
			})
		}
	}
}

// TestHostileCollectorAtTheEnd: a process whose collector never answers ends well, and says nothing on stdout but the
// protocol.
func TestHostileCollectorAtTheEnd(t *testing.T) {
	collector := "http://" + listenAnd(t, hang)
	backend := startDelaying(t) // says that a call came
	stdin := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo_delay","arguments":{},"_meta":{` + modernMeta + "}}}\n"
	for _, args := range [][]string{{"serve", "--listen", "127.0.0.1:0"}, {"stdio"}} {
		t.Run(args[0], func(t *testing.T) {
			var stdout, stderr lockedBuffer
			cmd := bridgeProgram(t, append(args, "--backend", backend.address, "--plaintext",
				"--descriptor-set", "../../services/echo/echo.binpb")...)
			cmd.Env = append(os.Environ(), "OTEL_EXPORTER_OTLP_ENDPOINT="+collector, "OTEL_EXPORTER_OTLP_PROTOCOL=grpc")
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if args[0] == "stdio" {
				_, _ = io.WriteString(in, stdin)
				<-backend.entered
			} else {
				stderr.waitFor(t, "msg=ready")
				_ = cmd.Process.Signal(syscall.SIGTERM)
			}
			_ = in.Close()
			began := time.Now()
			if err := cmd.Wait(); err != nil {
				t.Errorf("%v\n%s", err, stderr.String())
			}
			t.Logf("ended after %v", time.Since(began))
			out, answers := stdout.String(), map[string]int{"serve": 0, "stdio": 1}[args[0]]
			if strings.Count(out, "\n") != answers || strings.Count(out, `"id":1`) != answers {
				t.Errorf("stdout has %q", out)
			}
		})
	}
}

// bridgeProgram is this test binary, which acts as the program when it is called by its name.
func bridgeProgram(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Args = append([]string{"bridge"}, args...)
	return cmd
}

// lockedBuffer is a buffer that is written and read at the same time.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write adds to the buffer.
func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// String returns what was written so far.
func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// waitFor waits until text was written.
func (l *lockedBuffer) waitFor(t *testing.T, text string) {
	t.Helper()
	for deadline := time.Now().Add(patience); !strings.Contains(l.String(), text); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("there is no %q in\n%s", text, l.String())
		}
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer lis.Close()
	return lis.Addr().String()
}

// listenAnd does something to each connection, and then closes it.
func listenAnd(t *testing.T, do func(net.Conn)) string {
	t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var conns sync.WaitGroup
	conns.Go(func() {
		for {
			c, err := lis.Accept()
			if err != nil {
				return
			}
			stop := context.AfterFunc(t.Context(), func() { _ = c.Close() })
			conns.Go(func() {
				defer stop()
				defer c.Close()
				do(c)
			})
		}
	})
	t.Cleanup(func() {
		_ = lis.Close()
		conns.Wait()
	})
	return lis.Addr().String()
}

func hang(c net.Conn) { _, _ = io.Copy(io.Discard, c) }

func babble(c net.Conn) { _, _ = c.Write(bytes.Repeat([]byte("\x16\x03\x01\xff\x00garbage"), 1000)) }

// flood answers a request of HTTP/1.1 well, with more than anybody can use.
func flood(c net.Conn) {
	_, _ = c.Read(make([]byte, 1<<16))
	_, _ = fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\nContent-Length: %d\r\n\r\n", 1<<30)
	for chunk, err := make([]byte, 1<<20), error(nil); err == nil; {
		_, err = c.Write(chunk)
	}
}

// largeAnswer is a collector that speaks gRPC and answers with a message beyond the limit of clients.
func largeAnswer(t *testing.T) string {
	t.Helper()
	server := grpc.NewServer(grpc.UnknownServiceHandler(func(_ any, s grpc.ServerStream) error {
		return s.SendMsg(&configv1.Config{Backends: []*configv1.Backend{{Name: strings.Repeat("x", 8<<20)}}})
	}))
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(lis) }()
	t.Cleanup(func() {
		server.Stop()
		<-done
	})
	return "http://" + lis.Addr().String()
}

// largeRefusal is a collector that speaks HTTP and has much to say against what it is sent.
func largeRefusal(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write(bytes.Repeat([]byte("no "), 1<<20))
	}))
	t.Cleanup(server.Close)
	return server.URL
}
