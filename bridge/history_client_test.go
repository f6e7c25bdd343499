package bridge_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgrpc/bridge/bridge"
)

// sender sends a request and returns the answer to it.
type sender struct {
	*client

	do func(ctx context.Context, id int, message []byte, header http.Header) ([]byte, error)
}

// httpSender posts each request by itself.
func httpSender(t *testing.T, url, version string) sender {
	t.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: 512}
	t.Cleanup(transport.CloseIdleConnections)
	posts := &http.Client{Transport: transport}
	return sender{httpClient(t, url, version), func(ctx context.Context, _ int, message []byte, header http.Header) ([]byte, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(message))
		if err != nil {
			return nil, err
		}
		req.Header = header
		resp, err := posts.Do(req)
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		all, err := io.ReadAll(resp.Body)
		if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
			_, last, _ := bytes.Cut(all[max(0, bytes.LastIndex(all, []byte("\ndata:"))):], []byte("data:"))
			all = bytes.TrimSpace(last)
		}
		return all, err
	}}
}

// stdioSender sends all requests over one pair of pipes.
func stdioSender(t *testing.T, b *bridge.Bridge) sender {
	t.Helper()
	inReader, in := io.Pipe()
	out, outWriter := io.Pipe()
	a := &addressed{waiting: map[string]chan []byte{}}
	var all sync.WaitGroup
	all.Go(func() {
		if err := b.ServeStdio(context.Background(), inReader, outWriter); err != nil {
			t.Errorf("stdio ended with %v", err)
		}
		outWriter.Close()
	})
	all.Go(func() {
		for lines := bufio.NewReader(out); ; {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			if err := a.deliver(line); err != nil {
				t.Error(err)
			}
		}
	})
	t.Cleanup(func() {
		in.Close()
		all.Wait()
	})
	return sender{&client{version: modern}, func(ctx context.Context, id int, message []byte, _ http.Header) ([]byte, error) {
		answer := a.expect(id)
		if _, err := in.Write(append(message, '\n')); err != nil {
			return nil, err
		}
		select {
		case line := <-answer:
			return line, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}
}

// addressed tells answers apart by their ids.
type addressed struct {
	mu      sync.Mutex
	waiting map[string]chan []byte
}

// expect returns what the answer to a request will come by.
func (a *addressed) expect(id int) <-chan []byte {
	answer := make(chan []byte, 1)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waiting[fmt.Sprint(id)] = answer
	return answer
}

// deliver hands an answer on; notifications are for nobody. An answer that nobody waits for is an error.
func (a *addressed) deliver(line []byte) error {
	var m struct{ ID json.RawMessage }
	if err := json.Unmarshal(line, &m); err != nil {
		return fmt.Errorf("%q: %w", line, err)
	}
	if m.ID == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	answer := a.waiting[string(m.ID)]
	if answer == nil {
		return fmt.Errorf("an answer to nobody: %s", line)
	}
	delete(a.waiting, string(m.ID))
	answer <- line
	return nil
}
