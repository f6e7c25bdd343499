package bridge_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestByHand plays the calls by hand of docs/protocol.md: each has an answer that the next one goes on from.
func TestByHand(t *testing.T) {
	t.Parallel()
	_, text, _ := strings.Cut(readDoc(t, "protocol.md"), "## By hand")
	function := regexp.MustCompile(`(?s)mcp\(\) \{.*?\n\}`).FindString(text)
	format := regexp.MustCompile(`(?s)printf '(.*?)' "`).FindStringSubmatch(function)
	calls := regexp.MustCompile(`(?ms)^mcp (\S+) (\S+) '(.*?)'$`).FindAllStringSubmatch(text, -1)
	wants := []string{
		`"inputRequests":{"confirmation":`, `"state":"ORDER_STATE_PLACED"`, `"method":"notifications/progress"`, `"resultType":"task"`,
		`"status":"working"`, `"resultType":"complete"`, `"resultType":"complete"`, `"status":"cancelled"`,
	}
	if format == nil || len(calls) != len(wants) {
		t.Fatalf("%d calls, want %d, by %s", len(calls), len(wants), function)
	}
	url := serveHTTP(t, shopBridge(t, 200*time.Millisecond, 0))
	state, task := "", ""
	for i, call := range calls {
		fill := strings.NewReplacer("STATE", state, "TASK", task)
		method, name, params := call[1], strings.Trim(fill.Replace(call[2]), "'"), fill.Replace(call[3])
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if method == "subscriptions/listen" { // which has no end
			var end context.CancelFunc
			ctx, end = context.WithTimeout(ctx, 300*time.Millisecond)
			defer end()
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(fmt.Sprintf(format[1], method, params)))
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range regexp.MustCompile(`-H '([^:]+): ([^']+)'`).FindAllStringSubmatch(function, -1) {
			r.Header.Set(h[1], h[2])
		}
		r.Header.Set("Mcp-Method", method)
		r.Header.Set("Mcp-Name", name)
		w, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(w.Body) // up to the end of ctx, of a stream
		w.Body.Close()
		answer := string(body)
		if !strings.Contains(answer, wants[i]) {
			t.Fatalf("%s is answered with %s %s, want %s", call[0], w.Status, answer, wants[i])
		}
		for name, to := range map[string]*string{"requestState": &state, "taskId": &task} {
			if m := regexp.MustCompile(`"` + name + `":"([^"]+)"`).FindStringSubmatch(answer); m != nil {
				*to = m[1]
			}
		}
	}
}
