package bridge_test

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgrpc/bridge/bridge"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// TestWithheldIsTold: a tool that clients would refuse is missing, and nothing else; the log warns of it, and the report says why.
func TestWithheldIsTold(t *testing.T) {
	t.Parallel()
	const method = "library.v1.LibraryService.UpdateBook"
	backends := []bridge.Backend{{
		Conn: noConn{}, Descriptors: libraryOnly,
		Tools: map[string]*bridgev1.Tool{
			"library.v1.LibraryService.CreateBook": {Name: "a_name_that_is_so_long_that_clients_cut_its_end_1"},
			method:                                 {Name: "a_name_that_is_so_long_that_clients_cut_its_end_2"},
			"library.v1.Library.GetBk":             {Title: "Get"},
		},
	}}
	report, err := bridge.Inspect(t.Context(), backends)
	if err != nil {
		t.Fatal(err)
	}
	why := func(o bridge.Omission) bool {
		return o.Method == method && strings.HasPrefix(o.Reason, "name: ")
	}
	if !slices.ContainsFunc(report.Omitted, why) || len(report.Tools) == 0 {
		t.Errorf("%d tools, omitted are %v", len(report.Tools), report.Omitted)
	}
	var log bytes.Buffer
	newBridge(t, backends, bridge.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	for _, words := range []string{
		`level=WARN msg="a tool is withheld: clients would refuse it" backend=default name=` + method + " reason=",
		`level=WARN msg="tools are withheld: bridge tools says why of each" withheld=1`,
		`level=WARN msg="the configuration names nothing that there is" backend=default pattern=library.v1.Library.GetBk reason=`,
	} {
		if strings.Count(log.String(), words) != 1 {
			t.Errorf("no %s in\n%s", words, &log)
		}
	}
}
