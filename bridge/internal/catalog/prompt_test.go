package catalog_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

const review = `
	enum Tone { TONE_UNSPECIFIED = 0; TONE_KIND = 1; TONE_STRICT = 2; option allow_alias = true; TONE_FAIR = 1; TONE_KEEN = 3; }
	enum Size { NONE = 0; SMALL = 1; }
	message Request {
		// What is reviewed.
		// At length.
		string book_title = 1 [(google.api.field_behavior) = REQUIRED];
		Tone tone = 2;
		int32 words = 3;
		bool short = 4;
		double weight = 5;
		bytes raw = 6;
		oneof which { string a = 7 [(google.api.field_behavior) = REQUIRED]; string b = 8; }
		repeated string list = 9;
		map<string, string> table = 10;
		Inner inner = 11;
		string told = 12 [(google.api.field_behavior) = OUTPUT_ONLY];
		google.protobuf.StringValue wrapped = 13;
		Size size = 14;
		message Inner { string x = 1; }
	}
	message Reply { repeated bridge.v1.PromptMessage messages = 1; }
	service Review {
		// Asks for a review.
		rpc Write(Request) returns (Reply) { option (bridge.v1.method).prompt = {`

func reviewing(t *testing.T, prompt string) *catalog.Catalog {
	t.Helper()
	return compile(t, catalog.Options{}, annotated(t, "b", review+prompt+`}; } }`))
}

// TestPrompt: arguments are the direct fields that are scalars or enums, required those that the request requires.
func TestPrompt(t *testing.T) {
	t.Parallel()
	c := reviewing(t, "")
	silent(t, c)
	want := mcp.Prompt{
		Name: "review_write", Title: "Asks for a review", Description: "Asks for a review.",
		Meta: []byte(`{"io.github.mcpgrpc.bridge/method":"test.Review.Write"}`),
		Arguments: []mcp.PromptArgument{
			{Name: "bookTitle", Title: "Book title", Description: "What is reviewed. At length.", Required: true},
			{Name: "tone", Title: "Tone"},
			{Name: "words", Title: "Words"},
			{Name: "short", Title: "Short"},
			{Name: "weight", Title: "Weight"},
			{Name: "raw", Title: "Raw"},
			{Name: "a", Title: "A"},
			{Name: "b", Title: "B"},
			{Name: "size", Title: "Size"},
		},
	}
	p := c.Prompts()[0]
	if diff := cmp.Diff(want, p.Definition); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if found, ok := c.Prompt("review_write"); !ok || found != p || len(c.Tools()) > 0 {
		t.Errorf("the prompt is %v, tools are %v", found, names(c))
	}
	if p.Method.Name() != "Write" || p.Backend.Name() != "b" || p.Codec == nil || p.Output == nil {
		t.Errorf("prompt %+v", p)
	}
	given := reviewing(t, `name: "review" title: "Review" description: "Reviews."`).Prompts()[0].Definition
	if given.Name != "review" || given.Title != "Review" || given.Description != "Reviews." {
		t.Errorf("given is %+v", given)
	}
}

// TestPromptRequest gives arguments as name=value in words, and the request, which the codec must take.
func TestPromptRequest(t *testing.T) {
	t.Parallel()
	p := reviewing(t, "").Prompts()[0]
	for _, c := range []struct{ given, want string }{
		{"bookTitle=x", `{"bookTitle":"x"}`},
		{"book_title=", `{"bookTitle":""}`},
		{
			"size=SMALL a=1 book_title=x raw=AA== weight=1.5 short=true words=-7 tone=TONE_KIND",
			`{"bookTitle":"x","tone":"TONE_KIND","words":"-7","short":true,"weight":"1.5","raw":"AA==","a":"1","size":"SMALL"}`,
		},
		{"bookTitle=x words= tone= short= weight=", `{"bookTitle":"x"}`},
		{"bookTitle=x short=false", `{"bookTitle":"x","short":false}`},
	} {
		got, err := p.Request(pairs(c.given))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: request %s, error %v, want %s", c.given, got, err, c.want)
		}
		if _, err := p.Codec.AppendWire(nil, got); err != nil {
			t.Errorf("%s: %v", got, err)
		}
	}
	for _, c := range []struct{ given, want string }{
		{"", `argument "bookTitle" of prompt "review_write" is missing`},
		{"bookTitle=x booktitel=y", `prompt "review_write" has no argument "booktitel": use bookTitle`},
		{"bookTitle=x zzzzzz=y", `has no argument "zzzzzz": it takes bookTitle, tone`},
		{"bookTitle=x list=y", `has no argument "list"`},
		{"bookTitle=x inner=y", `has no argument "inner"`},
		{"bookTitle=x told=y", `has no argument "told"`},
		{"bookTitle=x book_title=y", "given twice"},
	} {
		got, err := p.Request(pairs(c.given))
		if got != nil || err == nil || err.Code != jsonrpc.CodeInvalidParams || !strings.Contains(err.Message, c.want) {
			t.Errorf("%s: request %s, error %v, want %s", c.given, got, err, c.want)
		}
	}
}

func pairs(text string) map[string]string {
	values := map[string]string{}
	for _, p := range strings.Fields(text) {
		name, value, _ := strings.Cut(p, "=")
		values[name] = value
	}
	return values
}

func TestPromptWithoutArguments(t *testing.T) {
	t.Parallel()
	c := compile(t, catalog.Options{}, annotated(t, "b", `
		message M { string text = 1; }
		service S { rpc Do(google.protobuf.Empty) returns (M) { option (bridge.v1.method).prompt = {}; } }`))
	p := c.Prompts()[0]
	if got, err := p.Request(nil); err != nil || string(got) != "{}" || len(p.Definition.Arguments) > 0 {
		t.Errorf("request %s, error %v", got, err)
	}
	if _, err := p.Request(pairs("x=1")); err == nil || !strings.Contains(err.Message, "it takes none") {
		t.Errorf("error %v", err)
	}
}

func TestPromptFaults(t *testing.T) {
	t.Parallel()
	c := compile(t, catalog.Options{}, annotated(t, "b", `
		message M { N n = 1 [(google.api.field_behavior) = REQUIRED]; } message N {}
		service S { rpc Do(M) returns (M) { option (bridge.v1.method).prompt = {}; } }`))
	told(t, c, catalog.Deficient, "S.Do: the prompt is not offered: the request requires n, which is a message test.N")
	c = reviewing(t, `name: "a\nb" description: "`+strings.Repeat("More of it. ", 100)+`"`)
	told(t, c, catalog.Ignored, "Review.Write: the prompt has the name of its method")
	told(t, c, catalog.Ignored, "Review.Write: the description of the prompt is cut")
}

// TestPromptNames: of two prompts of one name the second is left out, and the derived one where there is one.
func TestPromptNames(t *testing.T) {
	t.Parallel()
	c := compile(t, catalog.Options{}, annotated(t, "b", `
		message M {}
		service S {
			rpc One(M) returns (M) { option (bridge.v1.method).prompt = {}; }
			rpc Two(M) returns (M) { option (bridge.v1.method).prompt.name = "s_one"; }
			rpc Three(M) returns (M) { option (bridge.v1.method).prompt.name = "x"; }
			rpc Four(M) returns (M) { option (bridge.v1.method).prompt.name = "x"; }
			rpc Five(M) returns (M) { option (bridge.v1.method) = { tool { name: "x" } prompt {} }; }
		}`))
	var got []string
	for _, p := range c.Prompts() {
		got = append(got, p.Definition.Name+"="+string(p.Method.Name()))
	}
	if diff := cmp.Diff([]string{"s_one=Two", "x=Three"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for name, kind := range map[string]catalog.Kind{"One": catalog.Deficient, "Four": catalog.Deficient, "Five": catalog.Ignored} {
		told(t, c, kind, "S."+name+": its prompt is not offered")
	}
}

func TestNearestPrompt(t *testing.T) {
	t.Parallel()
	c := reviewing(t, "")
	for name, want := range map[string]string{
		"review_writ": "review_write", "ReviewWrite": "review_write", "test.Review.Write": "review_write", "/test.Review/Write": "review_write",
		"other": "", "": "",
	} {
		if got := c.NearestPrompt(name); got != want {
			t.Errorf("by %q %q is meant, want %q", name, got, want)
		}
	}
}
