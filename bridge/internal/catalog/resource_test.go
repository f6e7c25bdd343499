package catalog_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

const shelf = `
	enum Form { FORM_UNSPECIFIED = 0; FORM_TEXT = 1; FORM_AUDIO = 2; }
	message Request {
		string book_id = 1;
		Place place = 2;
		int32 page = 3;
		bool draft = 4;
		Form form = 5;
		string asked_for = 6;
		uint64 big = 7;
		oneof isbn { string isbn_10 = 8; string isbn_13 = 9; Place in_print = 10; }
		optional string note = 11;
		message Place { string shelf_name = 1; Place inner = 2; }
	}
	message Other { string book_id = 1; }
	message Moved { string book_id = 2; }
	message Book { string title = 1; }
	message Blob { repeated bridge.v1.ResourceContents contents = 1; }
	service Shelf {
		// Reads a book. Whole.
		rpc Read(Request) returns (Book) { option (bridge.v1.method) = { resources: [`

// shelved offers the method Read with the resources, and others beside it.
func shelved(t *testing.T, resources string) *catalog.Catalog {
	t.Helper()
	return compile(t, catalog.Options{}, annotated(t, "b", shelf+resources+`] }; }
		rpc Watch(Request) returns (stream Book);
		rpc WatchOther(Other) returns (stream google.protobuf.Empty);
		rpc WatchMoved(Moved) returns (stream google.protobuf.Empty);
		rpc Chat(stream Request) returns (stream Book);
	}`))
}

// TestResource is a fixed resource, with everything derived and with everything given.
func TestResource(t *testing.T) {
	t.Parallel()
	c := shelved(t, `
		{ uri: "shelf://first" },
		{ uri: "shelf://second" name: "second_book" title: "The second" description: "The second\nbook." mime_type: "text/plain; charset=utf-8"
		  uri_field: "asked_for" watch: "Watch" }`)
	meta := []byte(`{"io.github.mcpgrpc.bridge/method":"test.Shelf.Read"}`)
	want := []mcp.Resource{
		{
			URI: "shelf://first", Name: "shelf_read", Title: "Reads a book", Description: "Reads a book. Whole.", MimeType: "application/json",
			Meta: meta,
		},
		{
			URI: "shelf://second", Name: "second_book", Title: "The second", Description: "The second book.", MimeType: "text/plain; charset=utf-8",
			Meta: meta,
		},
	}
	var got []mcp.Resource
	for _, r := range c.Resources() {
		got = append(got, r.Definition)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, method := range []string{"test.Shelf.Read", "test.Shelf.Watch"} {
		if tool, ok := c.Lookup(method); ok {
			t.Errorf("%s, which is or watches a resource, is the tool %s", method, tool.Definition.Name)
		}
	}
	first, second := c.Resources()[0].Reading, c.Resources()[1].Reading
	if first.Watch != nil || second.Watch == nil || second.Watch.Name() != "Watch" || !c.Watched() {
		t.Errorf("watched are %v and %v", first.Watch, second.Watch)
	}
	if first.MimeType != "application/json" || first.Method.Name() != "Read" || first.Backend.Name() != "b" || first.Codec == nil ||
		first.Output == nil {
		t.Errorf("reading %+v", first)
	}
	address(t, c, "shelf://first", `{}`)
	address(t, c, "shelf://second", `{"askedFor":"shelf://second"}`)
	address(t, c, "shelf://third", "")
	address(t, c, "shelf://First", "")
}

// address demands that a URI is read with the arguments, or not at all with "".
func address(t *testing.T, c *catalog.Catalog, uri, arguments string) {
	t.Helper()
	a, ok := c.Resource(uri)
	if ok != (arguments != "") || string(a.Arguments) != arguments {
		t.Errorf("%s is read with %s (%t), want %s", uri, a.Arguments, ok, arguments)
	}
	if !ok {
		return
	}
	if a.URI != uri {
		t.Errorf("the address of %s is that of %s", uri, a.URI)
	}
	if _, err := a.Reading.Codec.AppendWire(nil, a.Arguments); err != nil {
		t.Errorf("%s: %v", a.Arguments, err)
	}
}

// TestTemplates: variables fill request fields, by their names in both spellings, by paths, and by the map.
func TestTemplates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ option, uri, arguments string }{
		{`{ uri_template: "a://{book_id}/text" }`, "a://x%20%22y/text", `{"bookId":"x \"y"}`},
		{`{ uri_template: "a://{bookId}" }`, "a://1", `{"bookId":"1"}`},
		{`{ uri_template: "a://{place.shelf_name}" }`, "a://x", `{"place":{"shelfName":"x"}}`},
		{
			`{ uri_template: "a://{id}/{of}" fields { key: "id" value: "bookId" } fields { key: "of" value: "place.inner.shelf_name" } }`,
			"a://1/x", `{"bookId":"1","place":{"inner":{"shelfName":"x"}}}`,
		},
		{
			`{ uri_template: "a://{of}/{in}" fields { key: "of" value: "place.inner.shelf_name" } fields { key: "in" value: "place.shelf_name" } }`,
			"a://1/2", `{"place":{"inner":{"shelfName":"1"},"shelfName":"2"}}`,
		},
		{`{ uri_template: "a://{page}/{big}" }`, "a://-7/18446744073709551615", `{"page":"-7","big":"18446744073709551615"}`},
		{`{ uri_template: "a://{draft}" }`, "a://true", `{"draft":true}`},
		{`{ uri_template: "a://{form}" }`, "a://FORM_AUDIO", `{"form":"FORM_AUDIO"}`},
		{`{ uri_template: "a://{+book_id}" uri_field: "asked_for" }`, "a://x/y", `{"bookId":"x/y","askedFor":"a://x/y"}`},
		{`{ uri_template: "a://x{?page,draft}" }`, "a://x?draft=false", `{"draft":false}`},
		{`{ uri_template: "a://x{?page,draft}" }`, "a://x", `{}`},
		{`{ uri_template: "a://{book_id}" }`, "a://x/y", ""},
		{
			`{ uri_template: "a://{in_print.shelf_name}/{of}" fields { key: "of" value: "in_print.inner.shelf_name" } uri_field: "note" }`,
			"a://x/y", `{"inPrint":{"shelfName":"x","inner":{"shelfName":"y"}},"note":"a://x/y"}`,
		},
	} {
		t.Run(c.option+" "+c.uri, func(t *testing.T) {
			t.Parallel()
			made := shelved(t, c.option)
			for _, o := range made.Omitted() {
				t.Errorf("%s: %s", o.Method, o.Reason)
			}
			address(t, made, c.uri, c.arguments)
		})
	}
}

// TestTemplateDefinition is what clients are told of a template.
func TestTemplateDefinition(t *testing.T) {
	t.Parallel()
	c := shelved(t, `{ uri_template: "a://{book_id}" watch: "Watch" }`)
	want := mcp.ResourceTemplate{
		URITemplate: "a://{book_id}", Name: "shelf_read", Title: "Reads a book", Description: "Reads a book. Whole.",
		MimeType: "application/json",
		Meta:     []byte(`{"io.github.mcpgrpc.bridge/method":"test.Shelf.Read"}`),
	}
	if diff := cmp.Diff(want, c.ResourceTemplates()[0].Definition); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if a, ok := c.Resource("a://1"); !ok || a.Reading.Watch == nil || !c.Watched() || len(c.Resources()) > 0 {
		t.Errorf("address %+v, found %t", a, ok)
	}
}

// TestMostLiteral: a fixed resource stands before templates, and of these the most literal.
func TestMostLiteral(t *testing.T) {
	t.Parallel()
	c := shelved(t, `
		{ uri_template: "a://{+book_id}" },
		{ uri_template: "a://{book_id}/text" },
		{ uri_template: "a://{book_id}/{place.shelf_name}" },
		{ uri: "a://1/text" }`)
	for uri, arguments := range map[string]string{
		"a://1/text":   `{}`,
		"a://2/text":   `{"bookId":"2"}`,
		"a://2/x":      `{"bookId":"2","place":{"shelfName":"x"}}`,
		"a://2/x/text": `{"bookId":"2/x/text"}`,
	} {
		address(t, c, uri, arguments)
	}
}

// TestResourceFaults: what cannot be is left out, and said with the mend.
func TestResourceFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ option, want string }{
		{`{}`, "resource number 1 is not offered: it has no address: set uri or uri_template"},
		{`{ name: "x" }`, "set uri or uri_template"},
		{`{ uri: "limits" }`, "resource limits is not offered: it does not begin with a scheme"},
		{`{ uri: "a://{x}" }`, "percent-encode"},
		{`{ uri_template: "a://b" }`, "give it as uri"},
		{`{ uri_template: "a://{book_id" }`, "not closed"},
		{`{ uri_template: "a://{book_id*}" }`, "level 4"},
		{
			`{ uri_template: "a://{isbn}" }`,
			`variable "isbn": test.Request has no field "isbn": name a field of the request, or give its path in fields`,
		},
		{`{ uri_template: "a://{place}" }`, "is a message test.Request.Place, which no text of a URI fills"},
		{`{ uri_template: "a://{book_id.x}" }`, "holds no fields"},
		{`{ uri_template: "a://{x}" fields { key: "x" value: "place.nowhere" } }`, `test.Request.Place has no field "nowhere"`},
		{`{ uri_template: "a://{book_id}" fields { key: "id" value: "page" } }`, `fields names "id", which is no variable of the template`},
		{`{ uri: "a://b" fields { key: "id" value: "page" } }`, "no variable of the template"},
		{`{ uri_template: "a://{book_id}/{bookId}" }`, "fills the request field bookId, and so does"},
		{`{ uri_template: "a://{book_id}" uri_field: "book_id" }`, "uri_field fills the request field bookId"},
		{
			`{ uri_template: "a://{isbn_10}/{isbn_13}" }`,
			`variable "isbn_13" sets isbn13, and variable "isbn_10" sets isbn10, but of the oneof test.Request.isbn a request has one member alone`,
		},
		{`{ uri_template: "a://{isbn_10}" uri_field: "isbn_13" }`, "uri_field sets isbn13, and variable"},
		{`{ uri_template: "a://{isbn_10}/{in_print.shelf_name}" }`, `variable "in_print.shelf_name" sets inPrint`},
		{`{ uri_template: "a://x{?isbn_10,isbn_13}" }`, "make a resource for each"},
		{`{ uri: "a://b" uri_field: "nowhere" }`, `uri_field: test.Request has no field "nowhere": name a field of the request`},
		{`{ uri: "a://b" uri_field: "page" }`, "a URI is a string"},
	} {
		t.Run(c.option, func(t *testing.T) {
			t.Parallel()
			made := shelved(t, c.option)
			told(t, made, catalog.Deficient, "Shelf.Read: resource ", "is not offered: ", c.want)
			_, isTool := made.Lookup("test.Shelf.Read")
			if len(made.Resources())+len(made.ResourceTemplates()) > 0 || isTool {
				t.Error("it is offered")
			}
		})
	}
}

// TestUnfillable lists the fields that no text of a URI fills.
func TestUnfillable(t *testing.T) {
	t.Parallel()
	for field, sort := range map[string]string{
		"double x = 1": "of type double", "float x = 1": "of type float", "bytes x = 1": "of type bytes", "repeated string x = 1": "repeated",
		"map<string, string> x = 1": "a map", "google.protobuf.StringValue x = 1": "a message google.protobuf.StringValue",
	} {
		c := compile(t, catalog.Options{}, annotated(t, "b", `
			message M { `+field+`; }
			service S { rpc Do(M) returns (M) { option (bridge.v1.method).resources = { uri_template: "a://{x}" }; } }`))
		told(t, c, catalog.Deficient, "S.Do: resource a://{x} is not offered", "is "+sort+", which no text of a URI fills")
	}
}

func TestDuplicateAddresses(t *testing.T) {
	t.Parallel()
	c := shelved(t, `
		{ uri: "a://b" name: "first" }, { uri: "a://b" name: "second" },
		{ uri_template: "a://{book_id}/x" }, { uri_template: "a://{page}/x" }, { uri_template: "a://{book_id}/x" title: "T" }`)
	if len(c.Resources()) != 1 || c.Resources()[0].Definition.Name != "first" || len(c.ResourceTemplates()) != 1 {
		t.Errorf("resources %v, templates %v", c.Resources(), c.ResourceTemplates())
	}
	told(t, c, catalog.Ignored, "a resource is not offered: the uri a://b is that of test.Shelf.Read already")
	told(t, c, catalog.Ignored, "the uri_template a://{page}/x is that of test.Shelf.Read already", "(as a://{book_id}/x)")
	told(t, c, catalog.Ignored, "the uri_template a://{book_id}/x is that of test.Shelf.Read already")
}

// TestResourceOfContents: a reply with contents of its own has no media type but the one that is given.
func TestResourceOfContents(t *testing.T) {
	t.Parallel()
	c := compile(t, catalog.Options{}, annotated(t, "b", `
		message M {} message Blob { repeated bridge.v1.ResourceContents contents = 1; }
		service S { rpc Do(M) returns (Blob) { option (bridge.v1.method) = { resources: [
			{ uri: "a://1" }, { uri: "a://2" mime_type: "image/png" }, { uri: "a://3" mime_type: "no type" }, { uri: "a://4" name: " x " }
		] }; } }`))
	var got []string
	for _, r := range c.Resources() {
		got = append(got, r.Definition.MimeType+"="+r.Reading.MimeType)
	}
	if diff := cmp.Diff([]string{"=", "image/png=image/png", "=", "="}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	told(t, c, catalog.Ignored, "resource a://3 has its default media type", `"no type"`)
	told(t, c, catalog.Ignored, "resource a://4 has the name of its method", `" x "`)
}

// TestToolAndResource: with tool set, a method is both.
func TestToolAndResource(t *testing.T) {
	t.Parallel()
	c := compile(t, catalog.Options{}, annotated(t, "b", `
		message M {}
		service S {
			rpc Both(M) returns (M) { option (bridge.v1.method) = { tool {} resources { uri: "a://1" } prompt {} }; }
			rpc Resource(M) returns (M) { option (bridge.v1.method) = { resources { uri: "a://2" } }; }
			rpc Prompt(M) returns (M) { option (bridge.v1.method) = { prompt {} }; }
			rpc Faulty(M) returns (M) { option (bridge.v1.method) = { resources {} }; }
			rpc Tool(M) returns (M);
			rpc Stream(M) returns (stream M) { option (bridge.v1.method) = { resources { uri: "a://3" } prompt {} }; }
		}`))
	if diff := cmp.Diff([]string{"s_both", "s_tool"}, names(c)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(c.Resources()) != 2 || len(c.Prompts()) != 2 {
		t.Errorf("resources %v, prompts %v", c.Resources(), c.Prompts())
	}
	told(t, c, catalog.Deficient, "S.Stream: no resource is offered: the method is server streaming")
	told(t, c, catalog.Deficient, "S.Stream: the prompt is not offered: the method is server streaming")
	for name, want := range map[string]string{
		"test.S.Resource": "", "s_resourc": "", "s_too": "s_tool", "test.S.Tool": "s_tool", "s_resource": "",
	} {
		if got := c.Nearest(name); got != want {
			t.Errorf("by %s %q is meant, want %q", name, got, want)
		}
	}
}
