package interaction

import (
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"net/url"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// Bounds on what a backend may ask for.
const (
	// maxRequests is how many requests there may be at once.
	maxRequests = 32
	// maxKey is the length of the longest key, in bytes.
	maxKey = 128
	// maxState is the size of the largest state, in bytes.
	maxState = 16 << 10
	// maxSchema is the size of the largest form, in bytes of JSON.
	maxSchema = 64 << 10
	// maxAsked is the size of all that is asked at once, in bytes: sealed, it has to
	// come back within a request of the client's, which has 1 MiB as a rule.
	maxAsked = 256 << 10
	// maxFault bounds, in bytes, what a user is told of an answer that does not fit.
	maxFault = 512
	// defaultMaxTokens is what a sampling that names no bound is given.
	defaultMaxTokens = 1024
)

// Request is one thing that a backend asks the client for.
type Request struct {
	// Key is by what its answer is found.
	Key string
	// Method is mcp.MethodElicit, mcp.MethodSample or mcp.MethodListRoots.
	Method string
	// Needs is the capability that a client must have, as a path for
	// [mcp.HasCapability].
	Needs string
	// Fault is what was wrong with the answer before, which the user is told when
	// asked once more; "" for nothing.
	Fault string

	elicit mcp.ElicitParams
	sample mcp.SampleParams
	form   *form // nil for what is no form
}

// Read reads what a backend asks for. The error, the backend's fault, is a
// sentence that names the request and the mend.
func Read(in *bridgev1.InputRequired) ([]Request, error) {
	if n := len(in.GetRequests()); n > maxRequests {
		return nil, fmt.Errorf("%d requests at once: ask for at most %d", n, maxRequests)
	}
	if n := len(in.GetState()); n > maxState {
		return nil, fmt.Errorf("a state of %d bytes: keep it to %d", n, maxState)
	}
	if len(in.GetRequests()) == 0 && len(in.GetState()) == 0 {
		return nil, errors.New("there is neither a request nor a state: give one of them, or answer the call")
	}
	if n := proto.Size(in); n > maxAsked {
		return nil, fmt.Errorf("requests of %d bytes at once: keep them to %d together", n, maxAsked)
	}
	requests, seen := make([]Request, 0, len(in.GetRequests())), map[string]bool{}
	for _, r := range in.GetRequests() {
		key := r.GetKey()
		if !isKey(key) {
			return nil, fmt.Errorf("the key %q of a request: 1 to %d of A-Z, a-z, 0-9, _, . and -", jsonrpc.Echo(key), maxKey)
		}
		if seen[key] {
			return nil, fmt.Errorf("two requests with the key %q: give each one of its own", key)
		}
		seen[key] = true
		request, err := readRequest(r)
		if err != nil {
			return nil, fmt.Errorf("the request %q: %w", key, err)
		}
		requests = append(requests, request)
	}
	return requests, nil
}

// isKey reports whether a text can be a key.
func isKey(key string) bool {
	const allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"
	return key != "" && len(key) <= maxKey && strings.Trim(key, allowed) == ""
}

// readRequest reads one request.
func readRequest(in *bridgev1.InputRequest) (Request, error) {
	r := Request{Key: in.GetKey()}
	switch {
	case in.GetForm() != nil:
		return r, r.setForm(in.GetForm())
	case in.GetUrl() != nil:
		return r, r.setURL(in.GetUrl())
	case in.GetSampling() != nil:
		return r, r.setSampling(in.GetSampling())
	case in.GetRoots() != nil:
		r.Method, r.Needs = mcp.MethodListRoots, NeedsRoots
		return r, nil
	}
	return r, errors.New("it asks for nothing, or for what this bridge does not know: set form, url, sampling or roots")
}

func (r *Request) setForm(in *bridgev1.FormElicitation) (err error) {
	r.Method, r.Needs = mcp.MethodElicit, NeedsForm
	if in.GetMessage() == "" {
		return errors.New("message is empty: say what the user is asked")
	}
	schema := []byte(in.GetRequestedSchema())
	if len(schema) > maxSchema {
		return fmt.Errorf("requested_schema has %d bytes: keep it to %d", len(schema), maxSchema)
	}
	r.elicit = mcp.ElicitParams{Message: in.GetMessage(), RequestedSchema: schema}
	if r.form, err = readForm(schema); err == nil {
		err = r.form.sound()
	}
	if err != nil {
		return fmt.Errorf("requested_schema: %w", err)
	}
	return nil
}

func (r *Request) setURL(in *bridgev1.UrlElicitation) error {
	r.Method, r.Needs = mcp.MethodElicit, NeedsURL
	page, err := url.Parse(in.GetUrl())
	if err != nil || page.Host == "" || page.Scheme != "https" && page.Scheme != "http" {
		return fmt.Errorf("url %q is no address of a page: write https://host/path", jsonrpc.Echo(in.GetUrl()))
	}
	if in.GetMessage() == "" {
		return errors.New("message is empty: say why the user is to visit the page")
	}
	r.elicit = mcp.ElicitParams{Message: in.GetMessage(), URL: in.GetUrl(), ElicitationID: in.GetElicitationId()}
	if r.elicit.ElicitationID == "" {
		r.elicit.ElicitationID = rand.Text()
	}
	return nil
}

func (r *Request) setSampling(in *bridgev1.Sampling) error {
	r.Method, r.Needs = mcp.MethodSample, NeedsSampling
	if len(in.GetMessages()) == 0 {
		return errors.New("messages are empty: say what the model is to answer")
	}
	if t := in.GetTemperature(); math.IsNaN(t) || math.IsInf(t, 0) {
		return fmt.Errorf("temperature is %v, which JSON cannot say: give a number, or none", t)
	}
	r.sample = mcp.SampleParams{
		SystemPrompt:  in.GetSystemPrompt(),
		MaxTokens:     int64(in.GetMaxTokens()),
		Temperature:   in.Temperature,
		StopSequences: in.GetStopSequences(),
		ModelHints:    in.GetModelHints(),
	}
	if r.sample.MaxTokens <= 0 {
		r.sample.MaxTokens = defaultMaxTokens
	}
	for i, m := range in.GetMessages() {
		message, err := messageOf(m)
		if err != nil {
			return fmt.Errorf("messages[%d]: %w", i, err)
		}
		r.sample.Messages = append(r.sample.Messages, message)
	}
	return r.setTools(in)
}

// setTools sets what needs a client that can sample with tools.
func (r *Request) setTools(in *bridgev1.Sampling) error {
	for _, t := range []struct {
		name, text string
		opening    byte
		to         *[]byte
	}{{"tools", in.GetTools(), '[', &r.sample.Tools}, {"tool_choice", in.GetToolChoice(), '{', &r.sample.ToolChoice}} {
		if t.text == "" {
			continue
		}
		text := []byte(strings.TrimSpace(t.text))
		if err := jsonrpc.Check(text, jsonrpc.DefaultLimits); err != nil || text[0] != t.opening {
			return fmt.Errorf("%s is not the JSON that the protocol has there", t.name)
		}
		*t.to, r.Needs = text, NeedsSamplingTools
	}
	return nil
}

// messageOf makes a message of a conversation.
func messageOf(in *bridgev1.PromptMessage) (mcp.PromptMessage, error) {
	m := mcp.PromptMessage{Role: mcp.RoleUser}
	if in.GetRole() == bridgev1.Role_ROLE_ASSISTANT {
		m.Role = mcp.RoleAssistant
	}
	c := in.GetContent()
	switch {
	case c.GetText() != nil:
		m.Content = mcp.Content{Kind: mcp.ContentText, Text: c.GetText().GetText()}
	case c.GetImage() != nil:
		m.Content = mcp.Content{Kind: mcp.ContentImage, Data: c.GetImage().GetData(), MimeType: or(c.GetImage().GetMimeType(), "image/png")}
	case c.GetAudio() != nil:
		m.Content = mcp.Content{Kind: mcp.ContentAudio, Data: c.GetAudio().GetData(), MimeType: or(c.GetAudio().GetMimeType(), "audio/wav")}
	default:
		return m, errors.New("its content is no text, picture or sound: a client samples from nothing else")
	}
	return m, nil
}

// or returns a text, or another one where it is empty.
func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// Params returns the params of the request for a client of a revision, an object
// as raw JSON.
func (r *Request) Params(f mcp.Features) []byte {
	switch r.Method {
	case mcp.MethodElicit:
		params := r.elicit
		if r.Fault != "" {
			params.Message = fmt.Sprintf("The answer before was not taken: %s.\n\n%s", jsonrpc.Clip(r.Fault, maxFault), params.Message)
		}
		return params.AppendJSON(nil, f)
	case mcp.MethodSample:
		return r.sample.AppendJSON(nil, f)
	}
	return nil
}

// Wire returns the request as it stands in a result of the modern era.
func (r *Request) Wire(f mcp.Features) mcp.InputRequest {
	return mcp.InputRequest{Key: r.Key, Method: r.Method, Params: r.Params(f)}
}
