package stdio_test

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/stdio"
)

// feed serves text as the whole input and returns the output, line by line.
func feed(t *testing.T, d *double, cfg stdio.Config, text string) []string {
	t.Helper()
	var out bytes.Buffer
	if err := stdio.ServeCalls(t.Context(), cfg, d, strings.NewReader(text), &out); err != nil {
		t.Fatalf("Serve: %v", err)
	}
	if out.Len() == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

// TestFraming has what may stand between messages.
func TestFraming(t *testing.T) {
	t.Parallel()
	ping := strings.TrimSpace(request(1, "ping"))
	for name, text := range map[string]string{
		"newline":                ping + "\n",
		"carriage return":        ping + "\r\n",
		"no newline at the end":  ping,
		"space around":           " \t" + ping + " \r\n",
		"blank lines around":     "\n\r\n  \n" + ping + "\n\n",
		"escaped newline inside": `{"jsonrpc":"2.0","id":1,"method":"a\nb"}` + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lines := feed(t, &double{}, stdio.Config{}, text)
			if len(lines) != 1 || lines[0] != `{"jsonrpc":"2.0","id":1,"result":{}}` {
				t.Errorf("output %q", lines)
			}
		})
	}
	if lines := feed(t, &double{}, stdio.Config{}, "\n \r\n"); len(lines) != 0 {
		t.Errorf("blank input is answered with %q", lines)
	}
}

// TestBadLines: what is no message is answered with an error, and the next line is served.
func TestBadLines(t *testing.T) {
	t.Parallel()
	const limit = 200 << 10 // over the reader's own buffer
	tests := []struct {
		name string
		line string
		code int
		id   string // raw; "" where it could not be read, and the answer has none
		says string
	}{
		{"garbage", "hello", jsonrpc.CodeParse, "", "JSON"},
		{"binary", "\x00\x01\xff", jsonrpc.CodeParse, "", "JSON"},
		{"half a message", `{"jsonrpc":"2.0","id":3,`, jsonrpc.CodeParse, "3", "JSON"},
		{"two messages", `{"jsonrpc":"2.0","id":3,"method":"a"}{}`, jsonrpc.CodeParse, "3", "JSON"},
		{"byte order mark", "\ufeff" + `{"jsonrpc":"2.0","id":3,"method":"a"}`, jsonrpc.CodeParse, "", "JSON"},
		{"no JSON-RPC", `{"id":3,"method":"a"}`, jsonrpc.CodeInvalidRequest, "3", `"2.0"`},
		{"a batch", `[{"jsonrpc":"2.0","id":3,"method":"a"}]`, jsonrpc.CodeInvalidRequest, "", "by itself"},
		{"null id", `{"jsonrpc":"2.0","id":null,"method":"a"}`, jsonrpc.CodeInvalidRequest, "", "id must be"},
		{"fractional id", `{"jsonrpc":"2.0","id":1.5,"method":"a"}`, jsonrpc.CodeInvalidRequest, "", "integer"},
		{"too long by one", strings.Repeat("x", limit+1), jsonrpc.CodeInvalidRequest, "", "204800 bytes"},
		{"much too long", strings.Repeat("x", 10*limit), jsonrpc.CodeInvalidRequest, "", "204800 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := &double{}
			lines := feed(t, d, stdio.Config{MaxLine: limit}, tt.line+"\r\n"+request(9, "ping"))
			if len(lines) != 2 || !strings.Contains(lines[1], `"id":9,"result"`) {
				t.Fatalf("output %.300q", lines)
			}
			msg := decode(t, []byte(lines[0]))
			if msg.ID.String() != tt.id {
				t.Errorf("answer %s, want id %q", lines[0], tt.id)
			}
			if msg.Error.Code != tt.code || !strings.Contains(msg.Error.Message, tt.says) {
				t.Errorf("answer %s, want code %d saying %q", lines[0], tt.code, tt.says)
			}
			if got := d.order(); len(got) != 1 {
				t.Errorf("admitted %q", got)
			}
		})
	}
}

// TestLongestLine: a line of exactly the limit is served, with either line end and without one.
func TestLongestLine(t *testing.T) {
	t.Parallel()
	message := strings.TrimSpace(request(1, strings.Repeat("m", 100<<10)))
	for _, end := range []string{"\n", "\r\n", ""} {
		cfg := stdio.Config{MaxLine: int64(len(message))}
		if lines := feed(t, &double{}, cfg, message+end); len(lines) != 1 || !strings.Contains(lines[0], "result") {
			t.Errorf("end %q: output %.200q", end, lines)
		}
	}
}

// TestUnendingLine: a line of 64 MiB is answered once and leaves no trace in memory. (Not parallel: it reads the
// allocations of the process.)
func TestUnendingLine(t *testing.T) {
	const size, room = 64 << 20, 16 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var out bytes.Buffer
	in := io.MultiReader(io.LimitReader(endless{}, size), strings.NewReader("\n"+request(2, "ping")))
	if err := stdio.ServeCalls(t.Context(), stdio.Config{}, &double{}, in, &out); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got := strings.Count(out.String(), "\n"); got != 2 {
		t.Errorf("output %.500q", out.String())
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > room {
		t.Errorf("%d bytes were allocated for it", used)
	}
}

// endless reads as the letter x.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// TestOneLineOut: raw JSON with line breaks goes out on one line.
func TestOneLineOut(t *testing.T) {
	t.Parallel()
	text := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":%c"b\n"}}`, '\r')
	lines := feed(t, &double{}, stdio.Config{}, text)
	if want := `{"jsonrpc":"2.0","id":1,"result":{"a": "b\n"}}`; len(lines) != 1 || lines[0] != want {
		t.Errorf("output %q, want %q", lines, want)
	}
}

// maxFuzzed is the longest input of FuzzLines, in bytes: not eight requests.
const maxFuzzed = 256

// FuzzLines: whatever comes in, Serve ends without an error, nothing but responses goes out, and there is at most one
// for each line.
func FuzzLines(f *testing.F) {
	f.Add([]byte(request(1, "ping") + request(2, "a") + "\r\n\n"))
	f.Add([]byte("garbage\n" + strings.Repeat("x", 140) + "\n{}"))
	f.Add([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}` + "\n[]\n\"\n"))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":{}}` + "\n" + `{"jsonrpc":"2.0","id":"\ud800","method":"m"}`))
	f.Add([]byte("\xff\xfe\n\x00\n\r\r\n"))
	f.Add([]byte("[" + strings.TrimSpace(request(1, "ping")) + `,1,{"jsonrpc":"2.0","method":"n"}]` + "\n[]\n[[]]"))
	f.Fuzz(func(t *testing.T, input []byte) {
		if len(input) > maxFuzzed {
			t.Skip("more input says no more, and takes the fuzzer an age to make smaller")
		}
		// Room for all requests that the input can have: what depends on who comes first would look like a new input each time.
		cfg := stdio.Config{MaxLine: 128, MaxRunning: 8, MaxPending: 8, MaxStreams: 8}
		lines := feed(t, &double{batches: true}, cfg, string(input))
		if most := bytes.Count(input, []byte("\n")) + 1; len(lines) > most {
			t.Errorf("%d answers to %d lines", len(lines), most)
		}
		for _, l := range lines {
			for _, answer := range decodeLine(t, []byte(l)) {
				if answer.Kind != jsonrpc.KindResponse {
					t.Errorf("output %q is no response", l)
				}
			}
		}
	})
}
