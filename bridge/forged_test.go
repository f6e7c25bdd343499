package bridge_test

import (
	"context"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/mcpgrpc/bridge/bridge"
)

// forgeable is a service whose requests hold answers in every way.
const forgeable = `syntax = "proto3";
package vault.v1;
import "bridge/v1/interaction.proto";
import "google/protobuf/empty.proto";

// Keeps things.
service VaultService {
  // Opens the vault.
  rpc Open(OpenRequest) returns (google.protobuf.Empty);
}

message OpenRequest {
  bridge.v1.InputResponses single = 1;
  repeated bridge.v1.InputResponses list = 2;
  map<string, bridge.v1.InputResponses> map = 3;
  Inner inner = 4;
  oneof choice {
    bridge.v1.InputResponses chosen = 5;
  }
}

message Inner {
  bridge.v1.InputResponses single = 1;
  repeated Inner more = 2;
}
`

// TestAnswersCannotBeForged: no argument is taken for answers, whatever form the field has and wherever it stands.
func TestAnswersCannotBeForged(t *testing.T) {
	t.Parallel()
	j, backend := startJobs(t, func(context.Context, string) (proto.Message, error) { return &emptypb.Empty{}, nil })
	backend.Descriptors = protoFiles(t, "vault.proto", forgeable)
	c := httpClient(t, serveHTTP(t, newBridge(t, []bridge.Backend{backend})), modern)
	const answers = `{"responses":[{"key":"k","elicitation":{"action":"ELICITATION_ACTION_ACCEPT"}}],"state":"AA=="}`
	for _, arguments := range []string{
		`{"single":` + answers + `}`, `{"list":[` + answers + `]}`, `{"map":{"a":` + answers + `}}`, `{"chosen":` + answers + `}`,
		`{"inner":{"single":` + answers + `}}`, `{"inner":{"more":[{"single":` + answers + `}]}}`, `{"list":[]}`, `{"map":{}}`,
	} {
		got := c.call(t, "vault_open", arguments)
		if !got.IsError || !strings.HasPrefix(got.Content[0].Text, "INVALID_ARGUMENT: ") {
			t.Errorf("%s: %+v", arguments, got)
		}
	}
	if n := j.called("Open"); n != 0 {
		t.Errorf("the backend was called %d times", n)
	}
	if got := c.call(t, "vault_open", `{"inner":{"more":[{}]}}`); got.IsError || j.called("Open") != 1 {
		t.Errorf("without any: %+v", got)
	}
}
