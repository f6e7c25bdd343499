package bridge_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/services/echo"
)

// TestNothingIsLost sends values that clumsy JSON handling rounds, escapes or drops, and wants them back.
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	b := newBridge(t, []bridge.Backend{{Conn: startServices(t, echo.New()), OmitDefaults: true}})
	for name, c := range map[string]struct{ send, want string }{
		"int64 above 2^53 as a number": {`{"singleInt64":9007199254740993}`, `{"singleInt64":"9007199254740993"}`},
		"int64 above 2^53 as a string": {`{"singleInt64":"9007199254740993"}`, ``},
		"largest uint64":               {`{"singleUint64":18446744073709551615}`, `{"singleUint64":"18446744073709551615"}`},
		"smallest int64":               {`{"single_int64":-9223372036854775808}`, `{"singleInt64":"-9223372036854775808"}`},
		"bytes":                        {`{"singleBytes":"AAH+/w=="}`, ``},
		"bytes, URL-safe":              {`{"singleBytes":"AAH-_w"}`, `{"singleBytes":"AAH+/w=="}`},
		"text of every kind":           {`{"singleString":"\u0000\n\"\\<&>\u2028é😀"}`, ``},
		"not a number":                 {`{"singleDouble":"NaN","singleFloat":"-Infinity"}`, `{"singleDouble":"NaN","singleFloat":"-Infinity"}`},
		"unknown enum number":          {`{"singleColor":99}`, ``},
		"enum by its name":             {`{"singleColor":"COLOR_GREEN"}`, ``},
		"map keys": {
			`{"mapInt64String":{"-9223372036854775808":"low"},"mapBoolString":{"true":"yes"}}`,
			`{"mapBoolString":{"true":"yes"},"mapInt64String":{"-9223372036854775808":"low"}}`,
		},
		"presence of a zero":         {`{"optionalInt32":0,"optionalString":""}`, ``},
		"nanoseconds":                {`{"timestamp":"2026-02-03T04:05:06.789012345Z","duration":"-0.000000001s"}`, ``},
		"any JSON":                   {`{"value":{"a":[1,null,"x",{"b":true}]}}`, ``},
		"a null that is a value":     {`{"value":null}`, ``},
		"a list sent as a string":    {`{"repeatedInt32":"[1,2,3]"}`, `{"repeatedInt32":[1,2,3]}`},
		"an object sent as a string": {`{"singleNested":"{\"id\":7}"}`, `{"singleNested":{"id":"7"}}`},
		"an Any":                     {`{"any":{"@type":"type.googleapis.com/echo.v1.Nested","id":"5"}}`, ``},
		"recursion":                  {`{"child":{"child":{"child":{"singleBool":true}}}}`, ``},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.want == "" {
				c.want = c.send
			}
			got, err := b.Call(t.Context(), "echo_echo", []byte(`{"everything":`+c.send+`}`))
			if err != nil || got.IsError {
				t.Fatalf("%v, %+v", err, got)
			}
			if !sameJSON(t, got.JSON, `{"everything":`+c.want+`}`) {
				t.Errorf("got %s, want {\"everything\":%s}", got.JSON, c.want)
			}
			if got.Text != string(got.JSON) {
				t.Errorf("text %s differs from JSON %s", got.Text, got.JSON)
			}
		})
	}
}

// sameJSON compares two JSON texts, numbers by their digits.
func sameJSON(t *testing.T, got []byte, want string) bool {
	t.Helper()
	normal := func(text string) string {
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		out, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	return normal(string(got)) == normal(want)
}

// TestAbsentArguments: absent, null and {} are the same call.
func TestAbsentArguments(t *testing.T) {
	t.Parallel()
	b := newBridge(t, []bridge.Backend{{Conn: startServices(t, echo.New())}})
	c := httpClient(t, serveHTTP(t, b), modern)
	for _, arguments := range []any{nil, json.RawMessage("null"), json.RawMessage("{}")} {
		params := map[string]any{"name": "echo_size", "arguments": arguments}
		if arguments == nil {
			delete(params, "arguments")
		}
		r := c.request(t, "tools/call", params)
		if r.Error != nil || strings.Contains(string(r.Result), "isError") {
			t.Errorf("arguments %v: %+v %s", arguments, r.Error, r.Result)
		}
	}
}

// TestOddReplies: values that ProtoJSON refuses are replaced, with a warning each, and the call does not fail.
func TestOddReplies(t *testing.T) {
	t.Parallel()
	b := newBridge(t, []bridge.Backend{{Conn: startServices(t, echo.New())}})
	r, err := b.Call(t.Context(), "echo_irregular", []byte(`{"irregularities":[1,2,3,4,5,6,7,8]}`))
	if err != nil {
		t.Fatal(err)
	}
	if r.IsError || !json.Valid(r.JSON) || !strings.Contains(string(r.JSON), `"regular":`) {
		t.Fatalf("%+v", r)
	}
	if len(r.Warnings) < 5 {
		t.Errorf("%d warnings: %q", len(r.Warnings), r.Warnings)
	}
	t.Logf("%s\n%s", r.JSON, strings.Join(r.Warnings, "\n"))
}

// TestResultTooLarge: a result over the limit is a tool error that names the arguments which make it smaller.
func TestResultTooLarge(t *testing.T) {
	t.Parallel()
	b := newBridge(t, []bridge.Backend{{Conn: startServices(t, echo.New())}})
	r, err := b.Call(t.Context(), "echo_size", []byte(`{"payloadBytes":2000000}`))
	if err != nil {
		t.Fatal(err)
	}
	if !r.IsError || !strings.Contains(r.Text, "pageSize") || !strings.Contains(r.Text, "1048576") {
		t.Errorf("%+v", r)
	}
}

// TestDeadline: a call that outlasts its deadline fails with its outcome unknown, although both sides know the deadline and
// the backend may be the first to say that it is over. In the bubble, no deadline passes before the call is sent.
func TestDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hasty := newBridge(t, []bridge.Backend{{Conn: startServices(t, echo.New()), Deadline: 50 * time.Millisecond}})
		for range 100 {
			r, err := hasty.Call(t.Context(), "echo_delay", []byte(`{"delay":"30s"}`))
			if err != nil {
				t.Fatal(err)
			}
			const want = "DEADLINE_EXCEEDED: backend \"default\" gave no answer within the deadline of 50ms (deadline of its backend, or " +
				"--deadline)\noutcome: unknown "
			if !r.IsError || !strings.HasPrefix(r.Text, want) {
				t.Fatalf("%+v", r)
			}
		}
	})
}

// checkExecutions asks the echo service how often the call with this key was carried out.
func checkExecutions(t *testing.T, b *bridge.Bridge, key string, want int) {
	t.Helper()
	r, err := b.Call(t.Context(), "echo_executions", []byte(`{"key":"`+key+`"}`))
	if err != nil || r.IsError {
		t.Fatalf("%v %+v", err, r)
	}
	if string(r.JSON) != fmt.Sprintf(`{"executions":"%d"}`, want) {
		t.Errorf("key %s: %s, want %d", key, r.JSON, want)
	}
}

// TestFailuresAreNotRetried: whatever code the backend answers with, it is asked once.
func TestFailuresAreNotRetried(t *testing.T) {
	t.Parallel()
	b := newBridge(t, []bridge.Backend{{Conn: startServices(t, echo.New())}})
	for code := 1; code <= 16; code++ {
		key := fmt.Sprintf("code-%d", code)
		r, err := b.Call(t.Context(), "echo_fail", fmt.Appendf(nil, `{"code":%d,"message":"on demand","key":%q}`, code, key))
		if err != nil {
			t.Fatal(err)
		}
		if !r.IsError || !strings.Contains(r.Text, "on demand") {
			t.Errorf("code %d: %+v", code, r)
		}
		checkExecutions(t, b, key, 1)
	}
}
