package bridge_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/reflection/grpc_reflection_v1"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/services/echo"
)

// TestInspectWithoutConnection: descriptors from a file need no backend.
func TestInspectWithoutConnection(t *testing.T) {
	t.Parallel()
	report, err := bridge.Inspect(t.Context(), []bridge.Backend{{Descriptors: libraryOnly}})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Tools) != 5 || len(report.Omitted) != 0 {
		t.Fatalf("%d tools, omitted %v", len(report.Tools), report.Omitted)
	}
	get := report.Tools[2]
	if get.Name != "library_get_book" || get.Method != "library.v1.LibraryService.GetBook" || get.Backend != "default" {
		t.Errorf("third tool: %+v", get)
	}
	if get.ReadOnly == nil || !*get.ReadOnly || strings.Join(get.Required, " ") != "name" || get.InputBytes == 0 {
		t.Errorf("library_get_book: %+v", get)
	}
}

// TestReportJSON: the JSON of a report is the contract of `bridge tools -o json`.
func TestReportJSON(t *testing.T) {
	t.Parallel()
	report, err := bridge.Inspect(t.Context(),
		[]bridge.Backend{{Name: "echo", Descriptors: echoOnly, Expose: []string{"*.Size", "*.Count"}, Hide: []string{"*.Count"}}})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Tools []struct {
			Method, Backend string
			Tool            struct {
				Name         string
				InputSchema  map[string]any
				OutputSchema map[string]any
			}
		}
		Omitted []struct{ Backend, Method, Reason string }
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Tools) != 1 || got.Tools[0].Method != "echo.v1.EchoService.Size" || got.Tools[0].Tool.Name != "echo_size" ||
		got.Tools[0].Tool.InputSchema["type"] != "object" || got.Tools[0].Tool.OutputSchema["type"] != "object" {
		t.Errorf("tools: %+v", got.Tools)
	}
	for _, o := range got.Omitted {
		if o.Backend != "echo" || o.Reason == "" {
			t.Errorf("omission %+v", o)
		}
	}
}

// partial is a reflection service that lists a service which it cannot describe, as that of Jaeger does.
type partial struct {
	grpc_reflection_v1.ServerReflectionServer
}

// Register hides the reflection service of the host behind one that forgets its descriptors.
func (partial) Register(r grpc.ServiceRegistrar) {
	r.RegisterService(&grpc.ServiceDesc{ServiceName: "jaeger.api_v3.QueryService", HandlerType: (*any)(nil), Metadata: "gone.proto"},
		struct{}{})
}

// TestPartialReflection: a service that the server lists but cannot describe is reported, and does not take the others
// with it.
func TestPartialReflection(t *testing.T) {
	t.Parallel()
	b := newBridge(t, []bridge.Backend{{Conn: startServices(t, echo.New(), partial{})}})
	report := b.Report()
	if len(report.Tools) == 0 {
		t.Error("the service that can be described is not offered")
	}
	for _, o := range report.Omitted {
		if o.Method == "jaeger.api_v3.QueryService" {
			t.Log(o.Reason)
			return
		}
	}
	t.Errorf("the service that cannot be described is not reported: %+v", report.Omitted)
}

// TestMistakes: each wrong use of the library is an error that names the mend.
func TestMistakes(t *testing.T) {
	t.Parallel()
	conn := noConn{}
	for name, c := range map[string]struct {
		backends []bridge.Backend
		opts     []bridge.Option
		want     string
	}{
		"no backend":        {nil, nil, "at least one"},
		"no connection":     {[]bridge.Backend{{Descriptors: libraryOnly}}, nil, "Conn"},
		"same names":        {[]bridge.Backend{{Conn: conn}, {Conn: conn}}, nil, "name"},
		"negative deadline": {[]bridge.Backend{{Conn: conn, Descriptors: libraryOnly, Deadline: -1}}, nil, "30s"},
		"reserved header": {
			[]bridge.Backend{{Conn: conn, Descriptors: libraryOnly, Headers: map[string][]string{"grpc-timeout": {"1S"}}}}, nil, "grpc-timeout",
		},
		"bad pattern":     {[]bridge.Backend{{Conn: conn, Descriptors: libraryOnly, Hide: []string{"a/b"}}}, nil, "a/b"},
		"unknown profile": {[]bridge.Backend{{Conn: conn, Descriptors: libraryOnly}}, []bridge.Option{bridge.WithProfile("poor")}, "portable"},
		"hasty reload":    {[]bridge.Backend{{Conn: conn, Descriptors: libraryOnly}}, []bridge.Option{bridge.WithReload(1)}, "1s"},
		"no logger":       {[]bridge.Backend{{Conn: conn, Descriptors: libraryOnly}}, []bridge.Option{bridge.WithLogger(nil)}, "WithLogger"},
		"empty requests": {
			[]bridge.Backend{{Conn: conn, Descriptors: libraryOnly}}, []bridge.Option{bridge.WithMaxRequestBytes(0)}, "positive",
		},
		"empty results": {
			[]bridge.Backend{{Conn: conn, Descriptors: libraryOnly}}, []bridge.Option{bridge.WithMaxResultBytes(-1)}, "positive",
		},
		"nameless server":  {[]bridge.Backend{{Conn: conn, Descriptors: libraryOnly}}, []bridge.Option{bridge.WithServerInfo("", "1")}, "name"},
		"host with a path": {[]bridge.Backend{{Conn: conn, Descriptors: libraryOnly}}, []bridge.Option{bridge.WithAllowedHosts("a/b")}, "a/b"},
		"origin, no scheme": {
			[]bridge.Backend{{Conn: conn, Descriptors: libraryOnly}}, []bridge.Option{bridge.WithAllowedOrigins("example.com")}, "example.com",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := bridge.New(context.Background(), c.backends, c.opts...)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error that says %q", err, c.want)
			}
		})
	}
}

// TestReportOptions: the report says what the options of bridge.v1 bring.
func TestReportOptions(t *testing.T) {
	t.Parallel()
	report, err := bridge.Inspect(t.Context(), []bridge.Backend{{Descriptors: noteFiles(t, noteProto)}})
	if err != nil {
		t.Fatal(err)
	}
	tools := map[string]bridge.ToolReport{}
	for _, tool := range report.Tools {
		tools[tool.Name] = tool
	}
	if got := tools["note_think"].RequiredCapabilities; strings.Join(got, " ") != "sampling" {
		t.Errorf("note_think needs %v", got)
	}
	if got := tools["note_route"].Headers; strings.Join(got, " ") != "Mcp-Param-Region Mcp-Param-Count" {
		t.Errorf("note_route has the headers %v", got)
	}
	if got := tools["note_show"]; !got.Content || got.Data {
		t.Errorf("note_show: content %v, data %v", got.Content, got.Data)
	}
	if got := tools["note_route"]; got.Content || !got.Data {
		t.Errorf("note_route: content %v, data %v", got.Content, got.Data)
	}
	for _, r := range report.Resources {
		watched := r.Name != "picture"
		if r.Watched != watched || (r.Watch == "note.v1.NoteService.WatchNote") != watched {
			t.Errorf("%s: watched %v by %q", r.Address, r.Watched, r.Watch)
		}
	}
	if p := report.Prompts[0]; strings.Join(p.Arguments, " ") != "name tone" || strings.Join(p.Required, " ") != "name" {
		t.Errorf("prompt: %+v", p)
	}
}

// ignoredProto has one option that is not followed, one that leaves nothing to offer, and one method that is hidden.
const ignoredProto = `syntax = "proto3";
package shop.v1;
import "bridge/v1/annotations.proto";
service ShopService {
  rpc Count(Thing) returns (Thing) { option (bridge.v1.method).tool.input_schema = "no JSON"; }
  rpc Read(Thing) returns (Thing) { option (bridge.v1.method).resources = {uri: "no uri"}; }
  rpc Drop(Thing) returns (Thing) { option (bridge.v1.method).hide = true; }
}
message Thing { string name = 1; }
`

// TestIgnoredOptions: an option that is not followed stands apart from what is not offered, and is logged.
func TestIgnoredOptions(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	b, err := bridge.New(t.Context(), []bridge.Backend{{Conn: noConn{}, Descriptors: noteFiles(t, ignoredProto)}},
		bridge.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	methods := func(omissions []bridge.Omission) string {
		var names []string
		for _, o := range omissions {
			names = append(names, strings.TrimPrefix(o.Method, "shop.v1.ShopService."))
		}
		return strings.Join(names, " ")
	}
	report := b.Report()
	if got := methods(report.Omitted) + "; " + methods(report.Ignored); got != "Drop Read; Count" {
		t.Errorf("omitted and ignored: %s", got)
	}
	for _, want := range []string{
		"omitted=2 ignored=1", `msg="an option is not followed" backend=default name=shop.v1.ShopService.Count`,
	} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %s:\n%s", want, log.String())
		}
	}
}
