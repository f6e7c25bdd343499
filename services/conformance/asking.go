package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/mcpgrpc/bridge/bridge/ask"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
	conformancev1 "github.com/mcpgrpc/bridge/gen/conformance/v1"
)

// What some of the tools ask, in the suite's words.
const (
	userName    = "user_name"
	clientRoots = "client_roots"
	greeting    = "greeting"
	confirm     = "confirm"
)

func askName(key, message string) *bridgev1.InputRequest {
	return ask.Form(key, message, ask.String("name", ask.Required()))
}

func askOK(key, message string) *bridgev1.InputRequest {
	return ask.Form(key, message, ask.Bool("ok", ask.Required()))
}

// named returns a field of a form as filled in, or what the user did in place of it.
func named(a ask.Answers, key, field string) string {
	form, ok := a.Form(key)
	if !ok {
		return "nobody"
	}
	return form.GetFields()[field].GetStringValue()
}

// Sampling has the client's model answer a prompt.
func (i *interaction) Sampling(ctx context.Context, req *conformancev1.SamplingRequest) (*bridgev1.Content, error) {
	a := ask.FromContext(ctx)
	if !a.Has("prompt") {
		return nil, ask.Require(ask.Sample("prompt", req.GetPrompt(), 100))
	}
	said, _ := a.Text("prompt")
	return text("LLM response: " + said), nil
}

// Elicitation asks the user for a name and an e-mail address.
func (i *interaction) Elicitation(_ context.Context, req *conformancev1.ElicitationRequest) (*bridgev1.Content, error) {
	return answered(ask.From(req.GetAnswers()), ask.Form("person", req.GetMessage(),
		ask.String("username", ask.Description("User's response"), ask.Required()),
		ask.String("email", ask.Description("User's email address"), ask.Format("email"), ask.Required())))
}

// ElicitationDefaults asks with a form that has a default for each type of field.
func (i *interaction) ElicitationDefaults(ctx context.Context, _ *conformancev1.ElicitationDefaultsRequest) (*bridgev1.Content, error) {
	return answered(ask.FromContext(ctx), ask.Form("defaults", "Please review and update the form fields with defaults",
		ask.String("name", ask.Description("User name"), ask.Default("John Doe")),
		ask.Integer("age", ask.Description("User age"), ask.Default(30)),
		ask.Number("score", ask.Description("User score"), ask.Default(95.5)),
		ask.Enum("status", []string{"active", "inactive", "pending"}, ask.Description("User status"), ask.Default("active")),
		ask.Bool("verified", ask.Description("Verification status"), ask.Default(true))))
}

// ElicitationEnums asks with a form that has each kind of enumeration.
func (i *interaction) ElicitationEnums(ctx context.Context, _ *conformancev1.ElicitationEnumsRequest) (*bridgev1.Content, error) {
	return answered(ask.FromContext(ctx), ask.FormSchema("enums", "Please select options from the enum fields", enums))
}

// enums is a form with each kind of enumeration that there is.
const enums = `{"type":"object","properties":{` +
	`"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},` +
	`"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},` +
	`{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},` +
	`"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},` +
	`"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},` +
	`"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},` +
	`{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}` +
	`}}`

// answered asks the user, or says what the user did.
func answered(a ask.Answers, question *bridgev1.InputRequest) (*bridgev1.Content, error) {
	if !a.Has(question.GetKey()) {
		return nil, ask.Require(question)
	}
	form, ok := a.Form(question.GetKey())
	if !ok {
		return text("Elicitation completed: action=decline or cancel"), nil
	}
	return text("Elicitation completed: action=accept, content=" + jsonOf(form)), nil
}

// jsonOf writes a form as filled in, its fields in order.
func jsonOf(form *structpb.Struct) string {
	data, err := json.Marshal(form.AsMap())
	if err != nil {
		return "{}"
	}
	return string(data)
}

// StreamingElicitation says how far it has come, and asks the user.
func (i *interaction) StreamingElicitation(
	_ *conformancev1.StreamingElicitationRequest, stream grpc.ServerStreamingServer[conformancev1.StreamingElicitationResponse],
) error {
	a := ask.FromContext(stream.Context())
	if !a.Has(userName) {
		return ask.Require(askName(userName, "What is your name?"))
	}
	if err := stream.Send(&conformancev1.StreamingElicitationResponse{
		Event: &conformancev1.StreamingElicitationResponse_Progress{Progress: &bridgev1.Progress{Progress: 1}},
	}); err != nil {
		return err
	}
	return stream.Send(&conformancev1.StreamingElicitationResponse{
		Event: &conformancev1.StreamingElicitationResponse_Content{Content: text("Hello, " + named(a, userName, "name") + "!")},
	})
}

// InputElicitation asks the user for a name.
func (i *interaction) InputElicitation(_ context.Context, req *conformancev1.InputElicitationRequest) (*bridgev1.Content, error) {
	a := ask.From(req.GetAnswers())
	if !a.Has(userName) {
		return nil, ask.Require(askName(userName, "What is your name?"))
	}
	return text("Hello, " + named(a, userName, "name") + "!"), nil
}

// InputSampling asks the client's model for a capital.
func (i *interaction) InputSampling(ctx context.Context, _ *conformancev1.InputSamplingRequest) (*bridgev1.Content, error) {
	a := ask.FromContext(ctx)
	if !a.Has("capital_question") {
		return nil, ask.Require(ask.Sample("capital_question", "What is the capital of France?", 100))
	}
	said, _ := a.Text("capital_question")
	return text("The model says: " + said), nil
}

// InputListRoots asks the client for its roots.
func (i *interaction) InputListRoots(ctx context.Context, _ *conformancev1.InputListRootsRequest) (*bridgev1.Content, error) {
	return rooted(ask.FromContext(ctx))
}

// rooted asks the client for its roots, or lists them.
func rooted(a ask.Answers) (*bridgev1.Content, error) {
	if !a.Has(clientRoots) {
		return nil, ask.Require(ask.Roots(clientRoots))
	}
	return text("The roots are " + rootsOf(a)), nil
}

// rootsOf lists the roots of a client.
func rootsOf(a ask.Answers) string {
	var all []string
	roots, _ := a.Roots(clientRoots)
	for _, r := range roots {
		all = append(all, r.GetName()+" "+r.GetUri())
	}
	return strings.Join(all, ", ")
}

// InputRequestState asks the user to confirm, and wants its state back.
func (i *interaction) InputRequestState(ctx context.Context, _ *conformancev1.InputRequestStateRequest) (*bridgev1.Content, error) {
	return stated(ask.FromContext(ctx))
}

// InputTamperedState is InputRequestState for a client that changes the state.
func (i *interaction) InputTamperedState(ctx context.Context, _ *conformancev1.InputTamperedStateRequest) (*bridgev1.Content, error) {
	return stated(ask.FromContext(ctx))
}

// stated asks the user to confirm, and says whether the state came back.
func stated(a ask.Answers) (*bridgev1.Content, error) {
	mine := []byte("state of the fixture")
	if !a.Has(confirm) {
		return nil, ask.RequireWithState(mine, askOK(confirm, "Please confirm"))
	}
	if !bytes.Equal(a.State(), mine) {
		return nil, status.Error(codes.Internal, "the state is another one")
	}
	return text("state-ok"), nil
}

// InputMultipleInputs asks for three things at once.
func (i *interaction) InputMultipleInputs(ctx context.Context, _ *conformancev1.InputMultipleInputsRequest) (*bridgev1.Content, error) {
	a := ask.FromContext(ctx)
	if !a.Has(userName) || !a.Has(greeting) || !a.Has(clientRoots) {
		return nil, ask.RequireWithState([]byte("multiple"),
			askName(userName, "What is your name?"), ask.Sample(greeting, "Generate a greeting", 50), ask.Roots(clientRoots))
	}
	said, _ := a.Text(greeting)
	return text(fmt.Sprintf("%s, %s! %s", said, named(a, userName, "name"), rootsOf(a))), nil
}

// InputMultiRound asks twice; its state is the first answer.
func (i *interaction) InputMultiRound(_ context.Context, req *conformancev1.InputMultiRoundRequest) (*bridgev1.Content, error) {
	a := ask.From(req.GetAnswers())
	switch {
	case a.Has("step2"):
		return text(fmt.Sprintf("%s likes %s.", a.State(), named(a, "step2", "color"))), nil
	case a.Has("step1"):
		return nil, ask.RequireWithState([]byte(named(a, "step1", "name")),
			ask.Form("step2", "Step 2: What is your favorite color?", ask.String("color", ask.Required())))
	}
	return nil, ask.RequireWithState([]byte("step1"), askName("step1", "Step 1: What is your name?"))
}

// InputCapabilities asks for all that its client can be asked for.
func (i *interaction) InputCapabilities(ctx context.Context, _ *conformancev1.InputCapabilitiesRequest) (*bridgev1.Content, error) {
	a, can := ask.FromContext(ctx), ask.Capabilities(ctx)
	var requests []*bridgev1.InputRequest
	if can.GetForm() && !a.Has(userName) {
		requests = append(requests, askName(userName, "What is your name?"))
	}
	if can.GetSampling() && !a.Has(greeting) {
		requests = append(requests, ask.Sample(greeting, "Generate a greeting", 50))
	}
	if can.GetRoots() && !a.Has(clientRoots) {
		requests = append(requests, ask.Roots(clientRoots))
	}
	if len(requests) > 0 {
		return nil, ask.Require(requests...)
	}
	return text("Nothing is left to ask."), nil
}

// InputPrompt is a prompt for which the user gives a context.
func (i *interaction) InputPrompt(_ context.Context, req *conformancev1.InputPromptRequest) (*bridgev1.PromptMessage, error) {
	a := ask.From(req.GetAnswers())
	if !a.Has("user_context") {
		return nil, ask.Require(ask.Form("user_context", "What context should the prompt use?", ask.String("context", ask.Required())))
	}
	return &bridgev1.PromptMessage{Role: bridgev1.Role_ROLE_USER, Content: text("Context: " + named(a, "user_context", "context"))}, nil
}

// ProtocolErrorJob asks for roots.
func (i *interaction) ProtocolErrorJob(ctx context.Context, _ *conformancev1.ProtocolErrorJobRequest) (*bridgev1.Content, error) {
	return rooted(ask.FromContext(ctx))
}

// ConfirmDelete asks the user whether to delete a file.
func (i *interaction) ConfirmDelete(ctx context.Context, req *conformancev1.ConfirmDeleteRequest) (*bridgev1.Content, error) {
	a := ask.FromContext(ctx)
	if !a.Has(confirm) {
		return nil, ask.Require(ask.Form(confirm, "Delete "+req.GetFilename()+"?", ask.Bool("confirm", ask.Required())))
	}
	form, ok := a.Form(confirm)
	if !ok || !form.GetFields()["confirm"].GetBoolValue() {
		return text("Kept " + req.GetFilename()), nil
	}
	return text("Deleted " + req.GetFilename()), nil
}

// MultiInput asks the user for two things at once.
func (i *interaction) MultiInput(_ context.Context, req *conformancev1.MultiInputRequest) (*bridgev1.Content, error) {
	a := ask.From(req.GetAnswers())
	if !a.Has("first") || !a.Has("second") {
		return nil, ask.Require(askName("first", "The first name?"), askName("second", "The second name?"))
	}
	return text(named(a, "first", "name") + " and " + named(a, "second", "name")), nil
}

// ToolWithTask asks the user for a name, and greets in an operation.
func (i *interaction) ToolWithTask(ctx context.Context, req *conformancev1.ToolWithTaskRequest) (*longrunning, error) {
	a := ask.From(req.GetAnswers())
	if !a.Has(userName) {
		return nil, ask.Require(askName(userName, "What is your name?"))
	}
	return i.operate(ctx, 1, &conformancev1.ToolWithTaskResponse{Text: "Hello, " + named(a, userName, "name") + "!"})
}
