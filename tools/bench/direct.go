package main

import (
	"context"
	"fmt"
	"io"

	"google.golang.org/protobuf/proto"

	benchv1 "github.com/mcpgrpc/bridge/tools/bench/gen/bench/v1"
)

// directClient calls the backend at args[0] with generated code, all clients over one connection. Its own CPU time is what counts,
// so it is both the load generator and what is measured.
func directClient(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	conn, err := dial(args)
	if err != nil {
		return err
	}
	defer conn.Close()
	client := benchv1.NewOrderServiceClient(conn)
	return work(stdin, stdout, func(j job) (func() (caller, error), error) {
		s, err := sizeNamed(j.Size)
		d := direct{ctx: ctx, client: client, order: s.order()}
		return func() (caller, error) { return d, nil }, err
	})
}

// direct is a client of the direct client.
type direct struct {
	ctx    context.Context
	client benchv1.OrderServiceClient
	order  *benchv1.Order
}

// Check compares the answer with the order.
func (d direct) Check() error {
	got, err := d.client.Echo(d.ctx, d.order)
	if err != nil {
		return err
	}
	if !proto.Equal(got, d.order) {
		return fmt.Errorf("direct: another order came back")
	}
	return nil
}

// Call counts the items, as a client would read the message.
func (d direct) Call() error {
	got, err := d.client.Echo(d.ctx, d.order)
	if err == nil && len(got.GetItems()) != len(d.order.GetItems()) {
		err = fmt.Errorf("direct: %d items came back of %d", len(got.GetItems()), len(d.order.GetItems()))
	}
	return err
}

// Close does nothing: the connection is everyone's.
func (direct) Close() error { return nil }
