package ask_test

import (
	"context"
	"fmt"

	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/mcpgrpc/bridge/bridge/ask"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// deleteAll is a handler that does not delete anything before the user agrees.
func deleteAll(ctx context.Context, _ *emptypb.Empty) (*emptypb.Empty, error) {
	answers := ask.FromContext(ctx)
	if !answers.Has("confirm") {
		return nil, ask.Require(ask.Form("confirm", "Delete all orders?", ask.Bool("sure", ask.Required())))
	}
	if form, accepted := answers.Form("confirm"); accepted && form.GetFields()["sure"].GetBoolValue() {
		fmt.Println("deleted")
	}
	return &emptypb.Empty{}, nil
}

// The three lines of a handler that asks. What it returns is a status with a detail, from which the bridge asks the client.
func Example() {
	_, err := deleteAll(context.Background(), &emptypb.Empty{})
	fmt.Println(err)
	for _, detail := range status.Convert(err).Details() {
		request := detail.(*bridgev1.InputRequired).GetRequests()[0]
		fmt.Println(request.GetKey(), request.GetForm().GetRequestedSchema())
	}
	// Output:
	// rpc error: code = FailedPrecondition desc = the client is asked for confirm
	// confirm {"type":"object","properties":{"sure":{"type":"boolean"}},"required":["sure"]}
}
