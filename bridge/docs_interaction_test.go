package bridge_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/bridge/ask"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// examples are the blocks of code in a document that are in one language, at least one.
func examples(t *testing.T, doc, language string) []string {
	t.Helper()
	var all []string
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(readDoc(t, doc), -1) {
		all = append(all, m[1])
	}
	if len(all) == 0 {
		t.Fatalf("docs/%s has no example in %s", doc, language)
	}
	return all
}

// TestInteractionProgram: the handler of docs/interaction.md compiles as it stands there.
func TestInteractionProgram(t *testing.T) {
	t.Parallel()
	for _, text := range examples(t, "interaction.md", "go") {
		file := filepath.Join(t.TempDir(), "orders.go")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if output, err := exec.CommandContext(t.Context(), "go", "vet", file).CombinedOutput(); err != nil {
			t.Errorf("%v:\n%s", err, output)
		}
	}
}

// TestInteractionProtos: the services of docs/interaction.md are tools, whose schemas have the data and neither events nor answers.
func TestInteractionProtos(t *testing.T) {
	t.Parallel()
	wants := map[string][2]string{ // a field that is in the tool, and one that is not
		"report_make_report":    {`"page"`, `"progress"`},
		"account_close_account": {`"account"`, `"answers"`},
		"archive_pack_archive":  {`"archive"`, `"files_done"`},
	}
	for _, text := range examples(t, "interaction.md", "proto") {
		inv, err := bridge.Inspect(t.Context(), []bridge.Backend{{Descriptors: noteFiles(t, text)}})
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range inv.Tools {
			definition := string(tool.Definition)
			for name, want := range wants {
				if !strings.Contains(definition, `"name":"`+name+`"`) {
					continue
				}
				delete(wants, name)
				if !strings.Contains(definition, want[0]) || strings.Contains(definition, want[1]) {
					t.Errorf("want %s without %s: %s", want[0], want[1], definition)
				}
			}
		}
	}
	if len(wants) > 0 {
		t.Errorf("not offered: %v", wants)
	}
}

// TestInteractionTexts: the messages of docs/interaction.md are what package ask makes, and what it reads.
func TestInteractionTexts(t *testing.T) {
	t.Parallel()
	texts := examples(t, "interaction.md", "textproto")
	asked, answers := &spb.Status{}, &bridgev1.InputResponses{}
	if err := prototext.Unmarshal([]byte(texts[0]), asked); err != nil {
		t.Fatal(err)
	}
	want := ask.Require(ask.Form("confirm", "Delete all orders?", ask.Bool("sure", ask.Required())))
	if diff := cmp.Diff(status.Convert(want).Proto(), asked, protocmp.Transform()); diff != "" {
		t.Error(diff)
	}
	if err := prototext.Unmarshal([]byte(texts[1]), answers); err != nil {
		t.Fatal(err)
	}
	if form, accepted := ask.From(answers).Form("confirm"); !accepted || !form.GetFields()["sure"].GetBoolValue() {
		t.Errorf("the answer is %v", answers)
	}
}

// TestInteractionNames: the table of names has those of package ask.
func TestInteractionNames(t *testing.T) {
	t.Parallel()
	text := readDoc(t, "interaction.md")
	for _, row := range []string{
		fmt.Sprintf("| status code | `FAILED_PRECONDITION` (%d) |", ask.Code),
		fmt.Sprintf("| `%s` | `bridge.v1.InputResponses`, at most %d bytes;", ask.ResponsesKey, ask.MaxResponsesBytes),
		fmt.Sprintf("| `%s` | `bridge.v1.ClientCapabilities`;", ask.CapabilitiesKey),
	} {
		if !strings.Contains(text, row) {
			t.Errorf("docs/interaction.md lacks %s", row)
		}
	}
}
