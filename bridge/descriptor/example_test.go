package descriptor_test

import (
	"context"
	"fmt"

	_ "google.golang.org/grpc/health/grpc_health_v1" // registers the service

	"github.com/mcpgrpc/bridge/bridge/descriptor"
)

func ExampleRegistered() {
	set, err := descriptor.Registered("grpc.health.v1.Health", "shop.Orders").Load(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, service := range set.Services() {
		fmt.Println(service.FullName(), "in", service.ParentFile().Path())
	}
	for _, problem := range set.Problems() {
		fmt.Println(problem.Name, "is", problem.Reason)
	}
	// Output:
	// grpc.health.v1.Health in grpc/health/v1/health.proto
	// shop.Orders is not registered in this program: import the Go package generated for it
}
