package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"

	"github.com/mcpgrpc/bridge/services/echo"
	"github.com/mcpgrpc/bridge/services/library"
	"github.com/mcpgrpc/bridge/services/orders"
)

// backendMain is the program "backend [flags] SERVICE…": a gRPC server of sample services that prints where it listens.
func backendMain() {
	listen := flag.String("listen", "127.0.0.1:0", "address")
	hidden := flag.Bool("no-reflection", false, "serve no reflection")
	key := flag.String("reflection-key", "", "refuse reflection without this value of x-reflection-key")
	cert := flag.String("cert", "", "serve TLS with this certificate and its key, NAME.pem and NAME.key")
	flag.Parse()
	lis, err := net.Listen("tcp", *listen)
	fatal(err)
	options := []grpc.ServerOption{grpc.StreamInterceptor(demand(*key))}
	if *cert != "" {
		creds, err := credentials.NewServerTLSFromFile(*cert+".pem", *cert+".key")
		fatal(err)
		options = append(options, grpc.Creds(creds))
	}
	server := grpc.NewServer(options...)
	for _, name := range flag.Args() {
		switch name {
		case "library":
			library.New().Register(server)
		case "echo":
			echo.New().Register(server)
		case "orders":
			shop := orders.New()
			defer shop.Close()
			shop.Register(server)
		default:
			fatal(fmt.Errorf("no service %q", name))
		}
	}
	if !*hidden {
		reflection.Register(server)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, server.Stop)
	fmt.Println("listening on", lis.Addr())
	fatal(server.Serve(lis))
}

// demand refuses streams, which is to say reflection, that lack a key.
func demand(key string) grpc.StreamServerInterceptor {
	return func(srv any, ss grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
		if got := metadata.ValueFromIncomingContext(ss.Context(), "x-reflection-key"); key != "" && strings.Join(got, ",") != key {
			return status.Error(codes.Unauthenticated, "a reflection key is needed")
		}
		return next(srv, ss)
	}
}

// postMain is the program "post URL [Name:value]… [BODY | @file]": it posts JSON as an MCP client does and prints the
// status line, the headers that matter here, and the body.
func postMain() {
	args := os.Args[1:]
	body := []byte(args[len(args)-1])
	if file, ok := strings.CutPrefix(string(body), "@"); ok {
		var err error
		body, err = os.ReadFile(file)
		fatal(err)
	}
	req, err := http.NewRequest(http.MethodPost, args[0], bytes.NewReader(body))
	fatal(err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for _, h := range args[1 : len(args)-1] {
		name, value, _ := strings.Cut(h, ":")
		if strings.EqualFold(name, "Host") {
			req.Host = value
		}
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	fatal(err)
	defer resp.Body.Close()
	fmt.Println(resp.Status)
	for _, name := range []string{"Content-Type", "Mcp-Session-Id"} {
		if v := resp.Header.Get(name); v != "" {
			fmt.Printf("%s: %s\n", name, v)
		}
	}
	_, err = io.Copy(os.Stdout, resp.Body)
	fatal(err)
	fmt.Println()
}

func fatal(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
