package bridge_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// askedRequirements are those of client/elicitation, client/sampling, client/roots and, from 2026-07-28 on,
// basic/patterns/mrtr: what clients are asked, and what their answers do.
var askedRequirements = []requirement{
	{"client-elicitation/form", since20250618, checkAsked(asksForm, "elicitation/create", `"requestedSchema":{`, map[string]string{
		`{"action":"accept","content":{"ok":true}}`: "kept: accepted true, form map[ok:true]",
		`{"action":"decline"}`:                      "kept: accepted false",
		`{"action":"cancel"}`:                       "kept: accepted false",
	})},
	{"client-elicitation/url", revisions[3:], checkAsked(asksPage, "elicitation/create", `"mode":"url"`, map[string]string{
		`{"action":"accept"}`: "kept: accepted true", `{"action":"decline"}`: "kept: accepted false",
	})},
	{"client-elicitation/answers-are-held-against-the-schema", since20250618, checkUnfit},
	{"client-sampling/create-message", revisions, checkAsked(asksModel, "sampling/createMessage", `"maxTokens":10`, map[string]string{
		`{"role":"assistant","content":{"type":"text","text":"Bye."},"model":"m"}`: "text Bye.",
	})},
	{"client-roots/list", revisions, checkAsked(asksPlaces, "roots/list", "", map[string]string{
		`{"roots":[{"uri":"file:///home"}]}`: "root file:///home",
	})},
	{"client/not-without-the-capability", revisions, checkCannot},
	{"basic-patterns-mrtr/state-is-for-its-request", modernRevision, checkStates},
	{"basic-utilities-progress/grows-and-ends-with-the-result", revisions, checkProgress},
	{"basic-utilities-progress/not-without-a-token", revisions, func(t *testing.T, _ *stage, version string) {
		d := newDialogue(t, version, "{}")
		d.begin(t, "tools/call", `{"name":"order_track_order","arguments":{"name":"orders/1"}}`, "")
		d.next(t).wantResult(t)
		d.quiet(t)
	}},
	{"extensions-tasks/for-who-has-it", modernRevision, checkTaskOfClient},
	{"extensions-tasks/not-for-others", revisions, checkNoTaskOfOthers},
	{"extensions-tasks/notifications", modernRevision, checkTaskNotifications},
}

// checkAsked wants a question about an order to be a request of a method, with a part in its params, and each answer to come to
// a note of the backend's.
func checkAsked(order, method, part string, notes map[string]string) func(*testing.T, *stage, string) {
	return func(t *testing.T, _ *stage, version string) {
		d := newDialogue(t, version, allCan)
		for answer, note := range notes {
			q := d.question(t, order)
			if q.Method != method || !strings.Contains(string(q.Params), part) {
				t.Errorf("asked is %s %s, want %s with %s", q.Method, q.Params, method, part)
			}
			d.answer(t, q, order, answer).wantResult(t, note)
		}
		if calls := int(d.shop.calls.Load()); calls != 2*len(notes) {
			t.Errorf("the backend was called %d times for %d questions", calls, len(notes))
		}
	}
}

// checkUnfit: an answer that does not fit is asked for again, and the backend does not see it.
func checkUnfit(t *testing.T, _ *stage, version string) {
	d := newDialogue(t, version, allCan)
	m := d.answer(t, d.question(t, asksForm), asksForm, `{"action":"accept","content":{"ok":"maybe"}}`)
	again := asked{Method: m.Method, id: m.ID}
	if version == modern {
		again = stateOf(t, m)
	}
	if calls := d.shop.calls.Load(); again.Method != "elicitation/create" || calls != 1 {
		t.Fatalf("asked is %+v, and the backend was called %d times", m, calls)
	}
	d.answer(t, again, asksForm, `{"action":"decline"}`).wantResult(t, "accepted false")
}

// checkCannot: "Servers MUST NOT send … requests" of what the client has not declared.
func checkCannot(t *testing.T, _ *stage, version string) {
	d := newDialogue(t, version, "{}")
	for _, order := range []string{asksForm, asksPage, asksModel, asksPlaces} {
		if m := d.get(t, order, ""); version == modern {
			m.wantError(t, -32021, "requiredCapabilities")
		} else {
			m.wantResult(t, `"isError":true`, "capability")
		}
	}
	d.quiet(t)
}

// checkStates: a state that was changed, or is of another request, is refused, and so is an answer without the one that it needs.
func checkStates(t *testing.T, _ *stage, version string) {
	d := newDialogue(t, version, allCan)
	q := d.question(t, asksForm)
	const yes = `{"action":"accept","content":{"ok":true}}`
	d.answer(t, q, asksPlaces, `{"roots":[]}`).wantError(t, -32602, "requestState")
	changed := q
	changed.state = q.state[:len(q.state)/2] + "!" + q.state[len(q.state)/2+1:]
	d.answer(t, changed, asksForm, yes).wantError(t, -32602, "requestState")
	stateOf(t, d.get(t, asksForm, fmt.Sprintf(`,"requestState":%q`, q.state))) // without an answer it is asked again
	if calls := d.shop.calls.Load(); calls != 1 {
		t.Errorf("the backend was called %d times", calls)
	}
	d.answer(t, q, asksForm, yes).wantResult(t, `"resultType":"complete"`, "accepted true")
}

// checkProgress: "The progress value MUST increase with each notification", and "MUST stop after completion".
func checkProgress(t *testing.T, _ *stage, version string) {
	d := newDialogue(t, version, "{}")
	params := `{"name":"order_track_order","arguments":{"name":"orders/1"}`
	if version == modern {
		d.begin(t, "tools/call", params+`}`, `,"progressToken":"p"`)
	} else {
		d.begin(t, "tools/call", params+`,"_meta":{"progressToken":"p"}}`, "")
	}
	var told []float64
	m := d.next(t)
	for ; m.Method == "notifications/progress"; m = d.next(t) {
		var p struct {
			ProgressToken   string
			Progress, Total float64
			Message         string
		}
		if err := json.Unmarshal(m.Params, &p); err != nil {
			t.Fatal(err)
		}
		if p.ProgressToken != "p" || p.Total != 3 || (p.Message != "") != (version >= "2025-03-26") {
			t.Errorf("told is %s", m.Params)
		}
		told = append(told, p.Progress)
	}
	m.wantResult(t)
	if fmt.Sprint(told) != "[1 2 3]" {
		t.Errorf("told are %v", told)
	}
	d.quiet(t)
}

// checkTaskOfClient: the extension is declared, a task is the answer, and tasks/get tells of it to the end.
func checkTaskOfClient(t *testing.T, _ *stage, version string) {
	d := newDialogue(t, version, allCan)
	talk := func(method, params string) message {
		d.begin(t, method, params, "")
		return d.next(t)
	}
	talk("server/discover", "{}").wantResult(t, `"extensions":{"io.modelcontextprotocol/tasks":{}}`)
	m := talk("tools/call", `{"name":"order_export_orders","arguments":{}}`)
	m.wantResult(t, `"resultType":"task"`, `"status":"working"`, `"ttlMs":3600000`, `"pollIntervalMs":10`)
	m.wantResult(t, `"createdAt":"`, `"lastUpdatedAt":"`)
	id := string(members(t, m.Result)["taskId"])
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		m = talk("tasks/get", `{"taskId":`+id+`}`)
		m.wantResult(t, `"resultType":"complete"`, `"taskId":`+id)
		if strings.Contains(string(m.Result), `"status":"completed"`) {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("it goes on: %s", m.Result)
		}
	}
	m.wantResult(t, `"result":{"content":[`, `"done":true`)
	talk("tasks/cancel", `{"taskId":`+id+`}`).wantResult(t)
	talk("tasks/update", `{"taskId":`+id+`,"inputResponses":{}}`).wantResult(t)
	for method, more := range map[string]string{"tasks/get": "", "tasks/cancel": "", "tasks/update": `,"inputResponses":{}`} {
		talk(method, `{"taskId":"none"`+more+`}`).wantError(t, -32602, "taskId")
	}
}

// checkNoTaskOfOthers: who does not declare the extension waits for the result, legacy clients that declare it too.
func checkNoTaskOfOthers(t *testing.T, _ *stage, version string) {
	can := allCan
	if version == modern {
		can = "{}"
	}
	d := newDialogue(t, version, can)
	d.begin(t, "tools/call", `{"name":"order_export_orders","arguments":{}}`, "")
	d.next(t).wantResult(t, `"content":[`, `\"done\":true`)
	d.begin(t, "tasks/get", `{"taskId":"none"}`, "")
	if m := d.next(t); version == modern {
		m.wantError(t, -32021, "io.modelcontextprotocol/tasks")
	} else {
		m.wantError(t, -32601)
	}
}

// checkTaskNotifications: who listens for a task is told how it stands, to the end and in the words of tasks/get, and of no other.
func checkTaskNotifications(t *testing.T, _ *stage, version string) {
	d := newDialogue(t, version, allCan)
	d.begin(t, "tools/call", `{"name":"order_export_orders","arguments":{}}`, "")
	id := string(members(t, d.next(t).Result)["taskId"])
	d.send(t, strings.Replace(body(version, `"l"`, "subscriptions/listen", `{"notifications":{"taskIds":["none",`+id+`,`+id+`]}}`, ""),
		`clientCapabilities":{}`, `clientCapabilities":`+allCan, 1))
	wantMethod(t, d.next(t), "notifications/subscriptions/acknowledged", `"notifications":{"taskIds":[`+id+`]}`)
	told := d.next(t)
	for ; strings.Contains(string(told.Params), `"status":"working"`); told = d.next(t) {
		wantMethod(t, told, "notifications/tasks", `"taskId":`+id)
	}
	wantMethod(t, told, "notifications/tasks", `"status":"completed"`, `"statusMessage":"operation operations/7 is done"`, `"result":{"content":[`)
	d.begin(t, "tasks/get", `{"taskId":`+id+`}`, "")
	got := members(t, d.next(t).Result)
	for name, value := range members(t, told.Params) {
		if name != "_meta" && string(got[name]) != string(value) {
			t.Errorf("%s is told as %s, and tasks/get has %s", name, value, got[name])
		}
	}
	d.quiet(t)
	for params, fault := range map[string]string{
		`{"notifications":{"taskIds":"t"}}`:                                      "notifications.taskIds must be an array of ids of tasks",
		`{"notifications":{"taskIds":["` + strings.Repeat(`t","`, 300) + `t"]}}`: "notifications.taskIds has 301 ids: send at most 256",
	} {
		d.begin(t, "subscriptions/listen", params, "")
		d.next(t).wantError(t, -32602, fault)
	}
	d.can = "{}"
	for _, ids := range []string{`[]`, `["none"]`} {
		d.begin(t, "subscriptions/listen", `{"notifications":{"taskIds":`+ids+`}}`, "")
		d.next(t).wantError(t, -32021, `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`)
	}
}
