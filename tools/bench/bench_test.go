package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMain lets the processes of the benchmark be this program, as they are the benchmark's otherwise.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && parts[os.Args[1]] != nil {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestShort runs the whole benchmark, with few calls: all processes start, every answer is right, and every cell is written.
func TestShort(t *testing.T) {
	var out, log bytes.Buffer
	if err := dispatch(t.Context(), []string{"-rounds", "1", "-calls", "20"}, &out, &log); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for _, z := range sizes {
		for _, c := range []int{1, 16, 64} {
			for _, name := range others {
				// Once as what the bridge is relative to, and once by itself.
				if row := fmt.Sprintf("| %s | %s | %d |", name, z.name, c); strings.Count(text, row) != 2 {
					t.Errorf("%q is there %d times, want twice", row, strings.Count(text, row))
				}
			}
			if row := fmt.Sprintf("| bridge | %s | %d |", z.name, c); strings.Count(text, row) != 1 {
				t.Errorf("%q is there %d times, want once", row, strings.Count(text, row))
			}
		}
		for _, name := range traced {
			if row := fmt.Sprintf("| %s | %s | %d |", name, z.name, tracedClients); !strings.Contains(text, row) {
				t.Errorf("%q is missing", row)
			}
		}
	}
	if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
		t.Error("a value is no number")
	}
	if t.Failed() {
		t.Log(text)
	}
}

// TestCommandLine refuses what would measure something else than what was meant.
func TestCommandLine(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"tables"}, {"-rounds", "0"}, {"-cell", "-1s"}, {"-calls", "-1"}, {"-profile", "a", "-bridge", "b"}} {
		if err := dispatch(t.Context(), args, io.Discard, io.Discard); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
}

// TestProfile has the bridge that can be profiled write what can be read.
func TestProfile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cpu.pprof")
	var out, log bytes.Buffer
	if err := dispatch(t.Context(), []string{"-profile", file, "-calls", "2000"}, &out, &log); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| net/http | ", "| grpc-go | ", "| bridge: ", "Type: cpu"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("no %q in\n%s", want, log.String())
		}
	}
}

// TestSizes holds the orders to the sizes that are told.
func TestSizes(t *testing.T) {
	t.Parallel()
	for i, bounds := range [][2]int{{240, 270}, {1600, 1800}, {95_000, 105_000}} {
		body, err := sizes[i].json()
		if err != nil {
			t.Fatal(err)
		}
		if len(body) < bounds[0] || len(body) > bounds[1] {
			t.Errorf("%s: %d bytes, want %d to %d", sizes[i].name, len(body), bounds[0], bounds[1])
		}
		if err := sizes[i].sameOrder(body); err != nil {
			t.Errorf("%s: %v", sizes[i].name, err)
		}
	}
}

// TestWrongAnswers shows that a wrong answer ends the benchmark, whichever place of it is wrong.
func TestWrongAnswers(t *testing.T) {
	t.Parallel()
	small, err := sizes[0].json()
	if err != nil {
		t.Fatal(err)
	}
	other := bytes.Replace(small, []byte("8f14"), []byte("8f15"), 1)
	result := func(structured, text []byte, more string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":{"structuredContent":%s,"content":[{"type":"text","text":%q}]%s}}`,
			structured, text, more)
	}
	for _, c := range []struct {
		name, target string
		status       int
		answers      []string // to one request after the other, the last to all that follow
		ok           bool
	}{
		{"right", bridge, 200, []string{result(small, small, "")}, true},
		{"another order", bridge, 200, []string{result(other, small, "")}, false},
		{"another text", bridge, 200, []string{result(small, other, "")}, false},
		{"a failed call", bridge, 200, []string{result(small, small, `,"isError":true`)}, false},
		{"an error", bridge, 200, []string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}`}, false},
		{"another length later", sdk, 200, []string{result(small, small, ""), result(small, small, " ")}, false},
		{"right, plain", restHandler, 200, []string{string(small)}, true},
		{"another order, plain", restHandler, 200, []string{string(other)}, false},
		{"another status", restHandler, 503, []string{string(small)}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.answers[0])
				c.answers = c.answers[min(1, len(c.answers)-1):]
			}))
			defer server.Close()
			address := strings.TrimPrefix(server.URL, "http://")
			o, err := measure(job{Target: c.target, Address: address, PID: os.Getpid(), Size: "small", Clients: 1, Calls: 5}, connectHTTP)
			if (err == nil) != c.ok {
				t.Fatalf("error %v", err)
			}
			if c.ok && (o.Calls != 5 || o.CPU <= 0 || o.RSS <= 0 || o.P50 <= 0 || o.P99 < o.P50 || o.Took < o.P99) {
				t.Errorf("the outcome is %+v", o)
			}
		})
	}
}

// TestWorkerEnds shows that a worker answers what it cannot do and ends with its stdin.
func TestWorkerEnds(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	in := strings.NewReader(`{"Size":"huge","Clients":1,"Calls":1}` + "\n")
	if err := loadGenerator(context.Background(), nil, in, &out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), `no size is called \"huge\"`) {
		t.Errorf("the worker answered %s", out.String())
	}
}
