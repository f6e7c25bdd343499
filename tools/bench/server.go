package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/mcpgrpc/bridge/services/host"
	benchv1 "github.com/mcpgrpc/bridge/tools/bench/gen/bench/v1"
)

// orders gives orders back.
type orders struct {
	benchv1.UnimplementedOrderServiceServer
}

// Register adds the service to a gRPC server that does not serve yet.
func (o orders) Register(registrar grpc.ServiceRegistrar) {
	benchv1.RegisterOrderServiceServer(registrar, o)
}

// Echo answers with the order that was sent.
func (orders) Echo(_ context.Context, o *benchv1.Order) (*benchv1.Order, error) { return o, nil }

// backend is the gRPC server that all others call.
func backend(ctx context.Context, _ []string, stdin io.Reader, stdout io.Writer) error {
	ctx, lis, err := open(ctx, stdin, stdout)
	if err != nil {
		return err
	}
	return host.Serve(ctx, lis, orders{})
}

// gateway is grpc-gateway's generated handler in front of the backend at args[0], as its documentation sets it up.
func gateway(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	conn, err := dial(args)
	if err != nil {
		return err
	}
	defer conn.Close()
	mux := runtime.NewServeMux()
	if err := benchv1.RegisterOrderServiceHandler(ctx, mux, conn); err != nil {
		return err
	}
	return serveHTTP(ctx, stdin, stdout, mux)
}

// sink is a collector that takes what is sent to it and keeps nothing. GET answers how many bytes came, so that it can be told
// whether spans are sent at all.
func sink(ctx context.Context, _ []string, stdin io.Reader, stdout io.Writer) error {
	var received atomic.Int64
	return serveHTTP(ctx, stdin, stdout, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			fmt.Fprint(w, received.Load())
			return
		}
		n, err := io.Copy(io.Discard, r.Body)
		received.Add(n)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/x-protobuf") // an empty message is the answer that all was taken
	}))
}

// dial connects to the backend that the command line of a part names.
func dial(args []string) (*grpc.ClientConn, error) {
	if len(args) != 1 {
		return nil, fmt.Errorf("the address of the backend is missing")
	}
	return grpc.NewClient("passthrough:///"+args[0], grpc.WithTransportCredentials(insecure.NewCredentials()))
}

// open takes a free port and prints its address on a line. The context that it returns ends with stdin.
func open(ctx context.Context, stdin io.Reader, stdout io.Writer) (context.Context, net.Listener, error) {
	lis, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	fmt.Fprintf(stdout, "listening on %s\n", lis.Addr())
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		_, _ = io.Copy(io.Discard, stdin)
	}()
	return ctx, lis, nil
}

// serveHTTP serves handler at a free port until ctx or stdin ends.
func serveHTTP(ctx context.Context, stdin io.Reader, stdout io.Writer, handler http.Handler) error {
	ctx, lis, err := open(ctx, stdin, stdout)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.Serve(lis); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// compact is m as ProtoJSON without the white space that protojson puts in at random.
func compact(m proto.Message) ([]byte, error) {
	raw, err := protojson.Marshal(m)
	if err != nil {
		return nil, err
	}
	return json.Marshal(json.RawMessage(raw))
}
