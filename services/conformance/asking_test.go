package conformance_test

import (
	"maps"
	"slices"
	"testing"
	"testing/synctest"

	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"

	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
	conformancev1 "github.com/mcpgrpc/bridge/gen/conformance/v1"
)

// filled is a form with one field filled in.
func filled(key, field string, value *structpb.Value) *bridgev1.InputResponse {
	return elicited(key, &bridgev1.ElicitationResult{
		Action: bridgev1.ElicitationAction_ELICITATION_ACTION_ACCEPT, Content: &structpb.Struct{Fields: map[string]*structpb.Value{field: value}},
	})
}

// declined is a form that the user does not want to fill in.
func declined(key string) *bridgev1.InputResponse {
	return elicited(key, &bridgev1.ElicitationResult{Action: bridgev1.ElicitationAction_ELICITATION_ACTION_DECLINE})
}

func elicited(key string, result *bridgev1.ElicitationResult) *bridgev1.InputResponse {
	return &bridgev1.InputResponse{Key: key, Response: &bridgev1.InputResponse_Elicitation{Elicitation: result}}
}

// name is a form with a name filled in, and yes one with a box ticked.
func name(key, value string) *bridgev1.InputResponse {
	return filled(key, "name", structpb.NewStringValue(value))
}

func yes(key, field string) *bridgev1.InputResponse {
	return filled(key, field, structpb.NewBoolValue(true))
}

// wrote is what a model wrote.
func wrote(key, text string) *bridgev1.InputResponse {
	content := &bridgev1.Content{Block: &bridgev1.Content_Text{Text: &bridgev1.TextContent{Text: text}}}
	return &bridgev1.InputResponse{Key: key, Response: &bridgev1.InputResponse_Sampling{
		Sampling: &bridgev1.SamplingResult{Content: []*bridgev1.Content{content}},
	}}
}

// roots are where a client works.
func roots() *bridgev1.InputResponse {
	return &bridgev1.InputResponse{Key: "client_roots", Response: &bridgev1.InputResponse_Roots{
		Roots: &bridgev1.RootsResult{Roots: []*bridgev1.Root{{Uri: "file:///a", Name: "A"}, {Uri: "file:///b", Name: "B"}}},
	}}
}

// question is what a method asks in one round, and what becomes of the answers.
type question struct {
	method, request string
	asks            []string
	state           string
	can             *bridgev1.ClientCapabilities
	// outcomes are the texts of the answer.
	outcomes map[string][]*bridgev1.InputResponse
}

const whatName, tellName = "user_name: form What is your name?", "Hello, Ada!"

var ada = name("user_name", "Ada")

// questions are those of all methods that ask. The streams' and those of operations have further tests.
var questions = []question{
	{method: "Sampling", request: `"prompt":"Where?"`, asks: []string{
		"prompt: sampling Where? (100)",
	}, outcomes: map[string][]*bridgev1.InputResponse{
		"LLM response: here": {wrote("prompt", "here")},
	}},
	{method: "Elicitation", request: `"message":"Who?"`, asks: []string{"person: form Who?"}, outcomes: map[string][]*bridgev1.InputResponse{
		`Elicitation completed: action=accept, content={"username":"Ada"}`: {filled("person", "username", structpb.NewStringValue("Ada"))},
		"Elicitation completed: action=decline or cancel":                  {declined("person")},
	}},
	{
		method: "ElicitationDefaults", asks: []string{"defaults: form Please review and update the form fields with defaults"},
		outcomes: map[string][]*bridgev1.InputResponse{
			`Elicitation completed: action=accept, content={"verified":true}`: {yes("defaults", "verified")},
			"Elicitation completed: action=decline or cancel":                 {declined("defaults")},
		},
	},
	{
		method: "ElicitationEnums", asks: []string{"enums: form Please select options from the enum fields"},
		outcomes: map[string][]*bridgev1.InputResponse{
			`Elicitation completed: action=accept, content={"legacyEnum":"opt1"}`: {filled("enums", "legacyEnum", structpb.NewStringValue("opt1"))},
		},
	},
	{method: "StreamingElicitation", asks: []string{whatName}, outcomes: map[string][]*bridgev1.InputResponse{
		"progress 1 of 0; " + tellName:    {ada},
		"progress 1 of 0; Hello, nobody!": {declined("user_name")},
	}},
	{method: "InputElicitation", asks: []string{whatName}, outcomes: map[string][]*bridgev1.InputResponse{
		tellName: {ada}, "Hello, nobody!": {declined("user_name")},
	}},
	{
		method: "InputSampling", asks: []string{"capital_question: sampling What is the capital of France? (100)"},
		outcomes: map[string][]*bridgev1.InputResponse{"The model says: Paris": {wrote("capital_question", "Paris")}},
	},
	{method: "InputListRoots", asks: []string{"client_roots: roots"}, outcomes: map[string][]*bridgev1.InputResponse{
		"The roots are A file:///a, B file:///b": {roots()},
	}},
	{method: "ProtocolErrorJob", asks: []string{"client_roots: roots"}, outcomes: map[string][]*bridgev1.InputResponse{
		"The roots are A file:///a, B file:///b": {roots()},
	}},
	{
		method: "InputRequestState", asks: []string{"confirm: form Please confirm"}, state: "state of the fixture",
		outcomes: map[string][]*bridgev1.InputResponse{"state-ok": {yes("confirm", "ok")}},
	},
	{
		method: "InputTamperedState", asks: []string{"confirm: form Please confirm"}, state: "state of the fixture",
		outcomes: map[string][]*bridgev1.InputResponse{"state-ok": {yes("confirm", "ok")}},
	},
	{
		method: "InputMultipleInputs", state: "multiple",
		asks:     []string{whatName, "greeting: sampling Generate a greeting (50)", "client_roots: roots"},
		outcomes: map[string][]*bridgev1.InputResponse{"Hi, Ada! A file:///a, B file:///b": {ada, wrote("greeting", "Hi"), roots()}},
	},
	{method: "InputMultiRound", asks: []string{"step1: form Step 1: What is your name?"}, state: "step1"},
	{
		method: "InputCapabilities", asks: []string{whatName, "client_roots: roots"}, can: &bridgev1.ClientCapabilities{Form: true, Roots: true},
		outcomes: map[string][]*bridgev1.InputResponse{"Nothing is left to ask.": {ada, roots()}},
	},
	{
		method: "InputCapabilities", asks: []string{"greeting: sampling Generate a greeting (50)"},
		can:      &bridgev1.ClientCapabilities{Sampling: true},
		outcomes: map[string][]*bridgev1.InputResponse{"Nothing is left to ask.": {wrote("greeting", "Hi")}},
	},
	{method: "InputPrompt", asks: []string{
		"user_context: form What context should the prompt use?",
	}, outcomes: map[string][]*bridgev1.InputResponse{
		"Context: work":   {filled("user_context", "context", structpb.NewStringValue("work"))},
		"Context: nobody": {declined("user_context")},
	}},
	{method: "ConfirmDelete", request: `"filename":"a.txt"`, asks: []string{
		"confirm: form Delete a.txt?",
	}, outcomes: map[string][]*bridgev1.InputResponse{
		"Deleted a.txt": {yes("confirm", "confirm")}, "Kept a.txt": {declined("confirm")},
	}},
	{method: "MultiInput", asks: []string{
		"first: form The first name?", "second: form The second name?",
	}, outcomes: map[string][]*bridgev1.InputResponse{
		"Ada and Bob": {name("first", "Ada"), name("second", "Bob")},
	}},
	{method: "ToolWithTask", asks: []string{whatName}},
}

// TestQuestions: a method asks before it does anything, and answers when it has what it asked for.
func TestQuestions(t *testing.T) {
	t.Parallel()
	for _, q := range questions {
		t.Run(q.method, func(t *testing.T) {
			t.Parallel()
			i := newInteractions(t)
			sent, err := i.make(t.Context(), call{method: q.method, request: q.request, can: q.can})
			asks, state := asked(t, err)
			if diff := cmp.Diff(q.asks, asks); diff != "" || state != q.state || len(sent) > 0 {
				t.Errorf("it remembers %q, sends %s and asks (-want +got)\n%s", state, told(sent), diff)
			}
			for _, want := range slices.Sorted(maps.Keys(q.outcomes)) {
				answers := &bridgev1.InputResponses{Responses: q.outcomes[want], State: []byte(q.state)}
				sent, err := i.make(t.Context(), call{q.method, q.request, answers, q.can})
				if got := told(sent); err != nil || got != want {
					t.Errorf("got %q, %v, want %q", got, err, want)
				}
			}
		})
	}
}

// TestEveryQuestion: no method is missing above that has a test nowhere else.
func TestEveryQuestion(t *testing.T) {
	t.Parallel()
	elsewhere := []string{"ToolWithLogging", "ToolWithProgress", "SlowCompute", "FailingJob"}
	desc := conformancev1.InteractionService_ServiceDesc
	var all []string
	for _, m := range desc.Methods {
		all = append(all, m.MethodName)
	}
	for _, s := range desc.Streams {
		all = append(all, s.StreamName)
	}
	for _, method := range all {
		tested := slices.ContainsFunc(questions, func(q question) bool { return q.method == method })
		if tested == slices.Contains(elsewhere, method) {
			t.Errorf("%s is tested twice or not at all", method)
		}
	}
}

// TestSomeAnswers: what is missing is asked for again, with all that belongs to it.
func TestSomeAnswers(t *testing.T) {
	t.Parallel()
	i := newInteractions(t)
	for method, want := range map[string]int{"InputMultipleInputs": 3, "MultiInput": 2} {
		some := &bridgev1.InputResponses{Responses: []*bridgev1.InputResponse{ada, name("first", "Ada")}}
		_, err := i.make(t.Context(), call{method: method, answers: some})
		if asks, _ := asked(t, err); len(asks) != want {
			t.Errorf("%s asks for %q", method, asks)
		}
	}
}

// TestWrongState: a state that is not the fixture's own is the end of the call.
func TestWrongState(t *testing.T) {
	t.Parallel()
	i := newInteractions(t)
	for _, method := range []string{"InputRequestState", "InputTamperedState"} {
		answers := &bridgev1.InputResponses{Responses: []*bridgev1.InputResponse{yes("confirm", "ok")}, State: []byte("mine")}
		if sent, err := i.make(t.Context(), call{method: method, answers: answers}); status.Code(err) != codes.Internal {
			t.Errorf("%s: got %s, %v, want INTERNAL", method, told(sent), err)
		}
	}
}

// TestRounds: what was said in the first round comes back in the state of the second.
func TestRounds(t *testing.T) {
	t.Parallel()
	i := newInteractions(t)
	first := &bridgev1.InputResponses{Responses: []*bridgev1.InputResponse{name("step1", "Ada")}, State: []byte("step1")}
	_, err := i.make(t.Context(), call{method: "InputMultiRound", answers: first})
	asks, state := asked(t, err)
	if diff := cmp.Diff([]string{"step2: form Step 2: What is your favorite color?"}, asks); diff != "" || state != "Ada" {
		t.Errorf("it remembers %q and asks (-want +got)\n%s", state, diff)
	}
	red := filled("step2", "color", structpb.NewStringValue("red"))
	sent, err := i.make(t.Context(), call{
		method: "InputMultiRound", answers: &bridgev1.InputResponses{Responses: []*bridgev1.InputResponse{red}, State: []byte(state)},
	})
	if got := told(sent); err != nil || got != "Ada likes red." {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestNothingToAsk: of a client that can be asked for nothing, nothing is asked.
func TestNothingToAsk(t *testing.T) {
	t.Parallel()
	sent, err := newInteractions(t).make(t.Context(), call{method: "InputCapabilities"})
	if got := told(sent); err != nil || got != "Nothing is left to ask." {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestToolWithTask: with its answer the method begins an operation, which greets.
func TestToolWithTask(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		i := newInteractions(t)
		answers := &bridgev1.InputResponses{Responses: []*bridgev1.InputResponse{ada}}
		sent, err := i.make(t.Context(), call{method: "ToolWithTask", answers: answers})
		if err != nil {
			t.Fatal(err)
		}
		op := i.ended(sent[0].(*longrunningpb.Operation))
		var greeted conformancev1.ToolWithTaskResponse
		if err := op.GetResponse().UnmarshalTo(&greeted); err != nil || greeted.GetText() != tellName {
			t.Errorf("got %v, %v", op, err)
		}
	})
}
