package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"

	echov1 "github.com/mcpgrpc/bridge/gen/echo/v1"
	"github.com/mcpgrpc/bridge/services/echo"
)

// The load: a call each callInterval, whether or not the earlier ones have ended. Each longEvery-th takes longer than there
// is time to drain, the others fit.
const (
	loadCalls    = 600
	callInterval = 5 * time.Millisecond
	longEvery    = 25
)

// TestDrainUnderLoad: a process that is told to end in the middle of 200 calls a second answers each call that it has
// accepted. What fits into the time to drain has its result, the rest a final error, and the process ends well. Connections
// that come after the stop are refused.
func TestDrainUnderLoad(t *testing.T) {
	backend := startRecording(t)
	var stderr lockedBuffer
	cmd := bridgeProgram(t, "serve", "--listen", "127.0.0.1:0", "--backend", backend.address, "--plaintext",
		"--descriptor-set", "../../services/echo/echo.binpb", "--drain-timeout", "1s", "--drain-delay", "100ms")
	cmd.Env, cmd.Stderr = append(os.Environ(), "OTEL_SDK_DISABLED=true"), &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // in vain, if all is well
	stderr.waitFor(t, "msg=ready")
	load := newLoad(t, regexp.MustCompile(`url=(\S+)`).FindStringSubmatch(stderr.String())[1])
	for i := range loadCalls {
		if i == loadCalls/2 {
			load.told.Store(true)
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
		}
		load.begin(i)
		time.Sleep(callInterval)
	}
	load.running.Wait()
	if err := cmd.Wait(); err != nil {
		t.Errorf("the process ended with %v\n%s", err, stderr.String())
	}
	load.judge(t, backend)
}

// load is a client of both eras.
type load struct {
	url     string
	client  *http.Client
	session string
	told    atomic.Bool // whether the process has been told to end
	running sync.WaitGroup
	calls   [loadCalls]loadCall
}

// loadCall is one call: what came back, and whether all of it was sent before the process was told to end.
type loadCall struct {
	early bool
	body  string
	err   error
}

func newLoad(t *testing.T, url string) *load {
	t.Helper()
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = loadCalls
	t.Cleanup(transport.CloseIdleConnections)
	return &load{url: url, client: &http.Client{Transport: transport, Timeout: patience}, session: openSession(t, url)}
}

// delayOf is how long a call takes in the backend.
func delayOf(i int) (delay time.Duration, fits bool) {
	if i%longEvery == 0 {
		return time.Minute, false
	}
	return time.Duration(20+i*37%381) * time.Millisecond, true
}

// begin sends a call of one era or the other.
func (l *load) begin(i int) {
	delay, _ := delayOf(i)
	headers := map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
	arguments := fmt.Sprintf(`{"delay":"%.3fs","key":"%d"}`, delay.Seconds(), i)
	message := toolCall(i, "echo_delay", arguments, "")
	if i%2 == 0 {
		maps.Copy(headers, modernHeaders("echo_delay"))
	} else {
		headers["Mcp-Protocol-Version"], headers["Mcp-Session-Id"] = "2025-11-25", l.session
		message = strings.Replace(message, modernMeta, "", 1)
	}
	l.running.Go(func() { l.calls[i].body, l.calls[i].err = l.post(&l.calls[i].early, headers, message) })
}

func (l *load) post(early *bool, headers map[string]string, message string) (string, error) {
	ctx := httptrace.WithClientTrace(context.Background(), &httptrace.ClientTrace{
		WroteRequest: func(httptrace.WroteRequestInfo) { *early = !l.told.Load() },
	})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.url, strings.NewReader(message))
	if err != nil {
		return "", err
	}
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	res, err := l.client.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return string(body), err
}

// judge holds each call against what was promised. A call was accepted if it was sent before the end was asked for, or if
// the backend has seen it.
func (l *load) judge(t *testing.T, backend *recording) {
	t.Helper()
	var results, errors, refused int
	for i, c := range l.calls {
		_, fits := delayOf(i)
		accepted := c.early || backend.saw(i)
		answered := c.err == nil && strings.Contains(c.body, fmt.Sprintf(`"id":%d`, i))
		switch {
		case answered && strings.Contains(c.body, `"result"`) && !strings.Contains(c.body, `"isError":true`):
			results++
		case answered && strings.Contains(c.body, `"error"`) && (!fits || !accepted):
			errors++
		case accepted:
			t.Errorf("call %d (fits: %v, seen by the backend: %v) ended with %q, %v", i, fits, backend.saw(i), c.body, c.err)
		default:
			refused++
		}
	}
	t.Logf("%d results, %d final errors, %d refused after the stop", results, errors, refused)
	if results == 0 || errors == 0 || refused == 0 {
		t.Error("the load did not meet all of: calls that fit, calls that do not, calls after the stop")
	}
}

// recording is the echo service, which knows what it was asked.
type recording struct {
	address string
	keys    sync.Map
}

func (r *recording) saw(i int) bool {
	_, ok := r.keys.Load(fmt.Sprint(i))
	return ok
}

func startRecording(t *testing.T) *recording {
	t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &recording{address: lis.Addr().String()}
	note := func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		if delay, ok := req.(*echov1.DelayRequest); ok {
			r.keys.Store(delay.GetKey(), true)
		}
		return next(ctx, req)
	}
	server := grpc.NewServer(grpc.UnaryInterceptor(note))
	echo.New().Register(server)
	done := make(chan error, 1)
	go func() { done <- server.Serve(lis) }()
	t.Cleanup(func() {
		server.Stop()
		<-done
	})
	return r
}
