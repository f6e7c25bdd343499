package descriptor_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
)

func TestReflectionVersions(t *testing.T) {
	t.Parallel()
	want := mustNew(t, bare(compile(t, shop)))
	servers := map[string]*grpc.Server{"v1": genuineV1(want), "v1alpha": genuineV1Alpha(want)}
	for name, server := range servers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := mustLoad(t, descriptor.Reflection(dial(t, server)))
			wantProblems(t, set)
			if set.Digest() != want.Digest() {
				t.Errorf("reflection gave %v of %v", services(set), paths(set))
			}
		})
	}
}

// The catalog decides what to do with a server's own services; here they are services like others.
func TestReflectionListsReflectionAndHealth(t *testing.T) {
	t.Parallel()
	server := grpc.NewServer()
	healthpb.RegisterHealthServer(server, health.NewServer())
	reflection.Register(server)
	set := mustLoad(t, descriptor.Reflection(dial(t, server)))
	wantServices(t, set, "grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection")
	wantProblems(t, set)
}

func TestReflectionIsolatesServices(t *testing.T) {
	t.Parallel()
	all := compile(t, shop)
	orders, money := byName(t, all, "shop/orders.proto"), byName(t, all, "shop/money.proto")
	garbage := reply{files: [][]byte{[]byte("\xff\xff not a descriptor")}}
	good := files(t, orders, money)
	cases := map[string]struct {
		prices reply
		reason string
	}{
		"symbol not found": {
			refusal(codes.NotFound, "Symbol not found: shop.Prices"),
			"the server lists it but cannot describe it: Symbol not found: shop.Prices (NotFound)",
		},
		"refused as OK":        {refusal(codes.OK, "fine"), "cannot describe it: fine (Unknown)"},
		"escape sequences":     {reply{end: status.Error(codes.NotFound, "a\x1b[31mb\u202ec\nd")}, "a [31mbc d (NotFound)"},
		"internal":             {refusal(codes.Internal, "a\nb\x00c"), "a b c (Internal)"},
		"long-winded":          {refusal(codes.Unknown, strings.Repeat("é", 600)), strings.Repeat("é", 200)},
		"garbage":              {garbage, "not a file descriptor"},
		"no files":             {reply{}, "no file declares this service"},
		"another file":         {files(t, money), "no file declares this service"},
		"answer of wrong kind": {reply{wrong: true}, "the answer is a"},
		"stream ends in error": {reply{end: status.Error(codes.NotFound, "no such service")}, "no such service (NotFound)"},
		"stream ends":          {reply{close: true}, "the server ended the stream without an answer"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := &script{
				lists:   []string{"shop.Prices", "shop.Orders", "shop.Orders"},
				symbols: map[string]reply{"shop.Orders": good, "shop.Prices": c.prices},
			}
			set := mustLoad(t, descriptor.Reflection(dial(t, server.server())))
			wantServices(t, set, "shop.Orders")
			wantProblems(t, set, "shop.Prices", c.reason)
			if reason := set.Problems()[0].Reason; len(reason) > 520 || !utf8.ValidString(reason) {
				t.Errorf("%d bytes of reason: %q", len(reason), reason)
			}
		})
	}
}

func TestReflectionReportsImpossibleNames(t *testing.T) {
	t.Parallel()
	server := &script{lists: []string{"", "a b"}}
	set := mustLoad(t, descriptor.Reflection(dial(t, server.server())))
	wantProblems(t, set, "", "cannot be a service's name", "a b", "cannot be a service's name")
}

func TestReflectionFetchesImports(t *testing.T) {
	t.Parallel()
	all := compile(t, shop)
	orders, prices, money := byName(t, all, "shop/orders.proto"), byName(t, all, "shop/prices.proto"), byName(t, all, "shop/money.proto")
	symbols := map[string]reply{"shop.Orders": files(t, orders), "shop.Prices": files(t, prices)}
	cases := map[string]struct {
		symbols  map[string]reply
		files    map[string]reply
		services []string
		problems []string
	}{
		"one by one": {symbols, map[string]reply{"shop/money.proto": files(t, money)}, []string{"shop.Orders", "shop.Prices"}, nil},
		"all at once, over and over": {
			map[string]reply{"shop.Orders": files(t, all...), "shop.Prices": files(t, slices.Concat(all, all)...)},
			nil,
			[]string{"shop.Orders", "shop.Prices"},
			nil,
		},
		"missing": {symbols, nil, nil, []string{
			"shop.Orders", "could not be built", "shop.Prices", "could not be built",
			"shop/orders.proto", `imports "shop/money.proto", which the server did not give: File not found: shop/money.proto (NotFound)`,
			"shop/prices.proto", "which the server did not give",
		}},
		"missing for one": {
			map[string]reply{"shop.Orders": files(t, orders, money), "shop.Prices": files(t, reimported(prices, "gone.proto"))},
			nil,
			[]string{"shop.Orders"},
			[]string{"shop.Prices", "gone.proto", "shop/prices.proto", "gone.proto"},
		},
		"garbage": {symbols, map[string]reply{"shop/money.proto": {files: [][]byte{{0xff}}}}, nil, []string{
			"shop.Orders", "", "shop.Prices", "", "shop/orders.proto", "did not give: not a file descriptor", "shop/prices.proto", "",
		}},
		"another file": {symbols, map[string]reply{"shop/money.proto": files(t, orders)}, nil, []string{
			"shop.Orders", "", "shop.Prices", "", "shop/orders.proto", "was not found", "shop/prices.proto", "was not found",
		}},
		"cycle": {
			map[string]reply{
				"shop.Orders": files(t, reimported(orders, "shop/prices.proto")), "shop.Prices": files(t, reimported(prices, "shop/orders.proto")),
			},
			nil,
			nil,
			[]string{
				"shop.Orders", "import cycle", "shop.Prices", "import cycle", "shop/orders.proto", "import cycle", "shop/prices.proto", "import cycle",
			},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := &script{lists: []string{"shop.Orders", "shop.Prices"}, symbols: c.symbols, files: c.files}
			set := mustLoad(t, descriptor.Reflection(dial(t, server.server())))
			wantServices(t, set, c.services...)
			wantProblems(t, set, c.problems...)
		})
	}
}

// reimported returns the file with one import in place of its own.
func reimported(file *descriptorpb.FileDescriptorProto, path string) *descriptorpb.FileDescriptorProto {
	file = proto.CloneOf(file)
	file.Dependency = []string{path}
	return file
}

func TestReflectionUsesOneStream(t *testing.T) {
	t.Parallel()
	all := compile(t, shop)
	var streams atomic.Int32
	server := &script{
		lists: []string{"shop.Nothing", "shop.Orders", "shop.Prices"},
		symbols: map[string]reply{
			"shop.Orders": files(t, byName(t, all, "shop/orders.proto")), "shop.Prices": files(t, byName(t, all, "shop/prices.proto")),
		},
		files:   map[string]reply{"shop/money.proto": files(t, byName(t, all, "shop/money.proto"))},
		streams: func() { streams.Add(1) },
	}
	wantServices(t, mustLoad(t, descriptor.Reflection(dial(t, server.server()))), "shop.Orders", "shop.Prices")
	if n := streams.Load(); n != 1 {
		t.Errorf("%d streams were opened, want 1", n)
	}
}

func TestReflectionDigestIgnoresOrder(t *testing.T) {
	t.Parallel()
	all := compile(t, shop)
	reversed := slices.Clone(all)
	slices.Reverse(reversed)
	var digests []string
	for _, answer := range [][]*descriptorpb.FileDescriptorProto{all, reversed} {
		server := &script{lists: []string{"shop.Orders", "shop.Prices"}, symbols: map[string]reply{"shop.Orders": files(t, answer...)}}
		digests = append(digests, mustLoad(t, descriptor.Reflection(dial(t, server.server()))).Digest())
	}
	if digests[0] != digests[1] {
		t.Error("another order, another digest")
	}
}

func TestReflectionSendsHeaders(t *testing.T) {
	t.Parallel()
	guard := func(srv any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
		got, _ := metadata.FromIncomingContext(stream.Context())
		if !slices.Equal(got.Get("authorization"), []string{"Bearer t"}) || !slices.Equal(got.Get("route"), []string{"blue"}) {
			return status.Error(codes.Unauthenticated, "who are you?")
		}
		return next(srv, stream)
	}
	conn := dial(t, genuineV1(mustNew(t, bare(compile(t, shop))), grpc.StreamInterceptor(guard)))
	_, err := descriptor.Reflection(conn).Load(t.Context())
	wantError(t, err, `reflection of "passthrough:///memory"`, "was refused (WithHeaders sends a credential)", "who are you?")

	headers := metadata.Pairs("authorization", "Bearer t")
	source := descriptor.Reflection(conn, descriptor.WithHeaders(headers))
	headers.Set("authorization", "changed later")
	set, err := source.Load(metadata.AppendToOutgoingContext(t.Context(), "route", "blue"))
	if err != nil {
		t.Fatal(err)
	}
	wantServices(t, set, "shop.Orders", "shop.Prices")
}

func TestReflectionFails(t *testing.T) {
	t.Parallel()
	all := compile(t, shop)
	orders := files(t, byName(t, all, "shop/orders.proto"), byName(t, all, "shop/money.proto"))
	failing := func(code codes.Code) reply { return reply{end: status.Error(code, "broken")} }
	servers := map[string]struct {
		server *grpc.Server
		want   string
	}{
		"not offered": {grpc.NewServer(), "the server offers no reflection, neither v1 nor v1alpha"},
		"list fails": {
			(&script{list: new(failing(codes.Internal))}).server(), "listing the services: rpc error: code = Internal desc = broken",
		},
		"list refused":  {(&script{list: new(refusal(codes.PermissionDenied, "no"))}).server(), "was refused"},
		"list of files": {(&script{list: new(orders)}).server(), "listing the services: the answer is a"},
		"list refused as OK": {
			(&script{list: new(refusal(codes.OK, "fine"))}).server(), "listing the services: rpc error: code = Unknown desc = fine",
		},
		"escape sequences": {
			(&script{list: &reply{end: status.Error(codes.Internal, "a\x1b[31mb\u202ec\nd")}}).server(), "code = Internal desc = a [31mbc d",
		},
		"nothing but refusals of the moment": {(&script{
			lists:   []string{"a.A", "a.B"},
			symbols: map[string]reply{"a.A": refusal(codes.Unavailable, "later"), "a.B": refusal(codes.Unavailable, "later")},
		}).server(), "no service can be described: rpc error: code = Unavailable desc = later"},
		"list never comes": {
			(&script{list: &reply{close: true}}).server(), "listing the services: the server ended the stream without an answer",
		},
		"breaks off": {(&script{
			lists:   []string{"shop.Orders", "shop.Prices"},
			symbols: map[string]reply{"shop.Orders": orders, "shop.Prices": failing(codes.Unavailable)},
		}).server(), `describing "shop.Prices": rpc error: code = Unavailable desc = broken`},
		"breaks off at an import": {(&script{
			lists:   []string{"shop.Orders"},
			symbols: map[string]reply{"shop.Orders": files(t, byName(t, all, "shop/orders.proto"))},
			files:   map[string]reply{"shop/money.proto": failing(codes.Unavailable)},
		}).server(), `asking for the import "shop/money.proto": `},
		"nothing but failures": {(&script{
			lists:   []string{"a.A", "a.B"},
			symbols: map[string]reply{"a.A": failing(codes.Internal), "a.B": failing(codes.Unknown)},
		}).server(), "no service can be described: rpc error: code = Internal desc = broken"},
		"noise": {noise(), "listing the services: rpc error: code = Internal"},
	}
	for name, c := range servers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := descriptor.Reflection(dial(t, c.server)).Load(t.Context())
			wantError(t, err, `reflection of "passthrough:///memory": `, c.want)
		})
	}
}

// A server whose error response says UNIMPLEMENTED is asked in the older version too.
func TestReflectionFallsBackOnErrorResponse(t *testing.T) {
	t.Parallel()
	server := (&script{list: new(refusal(codes.Unimplemented, "not here"))}).server()
	_, err := descriptor.Reflection(dial(t, server)).Load(t.Context())
	wantError(t, err, "neither v1 nor v1alpha")
}

func TestReflectionKeepsLimits(t *testing.T) {
	t.Parallel()
	all := compile(t, shop)
	one := files(t, byName(t, all, "shop/prices.proto"))
	two := files(t, byName(t, all, "shop/orders.proto"), byName(t, all, "shop/money.proto"))
	size := func(r reply) (n int64) {
		for _, file := range r.files {
			n += int64(len(file))
		}
		return n
	}
	both := map[string]reply{"shop.Orders": two, "shop.Prices": one}
	many := files(t, reimported(byName(t, all, "shop/prices.proto"), "1.proto"))
	many.files = append(many.files, files(t, reimported(byName(t, all, "shop/orders.proto"), "2.proto")).files...)
	cases := map[string]struct {
		symbols map[string]reply
		limits  descriptor.Limits
		want    string
	}{
		"bytes of one answer": {both, descriptor.Limits{Bytes: size(two)}, "bytes of descriptors; load less or raise descriptor.Limits.Bytes"},
		"bytes of all": {
			both, descriptor.Limits{Bytes: size(one) + size(two) - 1}, "bytes of descriptors; load less or raise descriptor.Limits.Bytes",
		},
		"files":   {both, descriptor.Limits{Files: 2}, "more than 2 files; load less or raise descriptor.Limits.Files"},
		"imports": {map[string]reply{"shop.Orders": many, "shop.Prices": many}, descriptor.Limits{Files: 3}, "more than 3 files"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := &script{lists: []string{"shop.Orders", "shop.Prices"}, symbols: c.symbols}
			_, err := descriptor.Reflection(dial(t, server.server()), descriptor.WithLimits(c.limits)).Load(t.Context())
			wantError(t, err, `reflection of "passthrough:///memory": `, c.want)
			if !errors.Is(err, descriptor.ErrLimit) {
				t.Errorf("%v is not ErrLimit", err)
			}
		})
	}
}

// Copies of a file that a server sends with every answer count once.
func TestReflectionCountsDistinctBytes(t *testing.T) {
	t.Parallel()
	all := bare(compile(t, shop))
	orders := files(t, byName(t, all, "shop/orders.proto"), byName(t, all, "shop/money.proto"))
	total := 0
	for _, file := range orders.files {
		total += len(file)
	}
	lists, symbols := []string{"shop.Orders"}, map[string]reply{"shop.Orders": orders}
	for i := range 20 {
		lists = append(lists, fmt.Sprintf("shop.Zero%02d", i))
		symbols[lists[i+1]] = orders
	}
	limits := descriptor.WithLimits(descriptor.Limits{Bytes: int64(total) + 800})
	set := mustLoad(t, descriptor.Reflection(dial(t, (&script{lists: lists, symbols: symbols}).server()), limits))
	wantServices(t, set, "shop.Orders")
}

func TestReflectionOfHangingServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := grpc.NewServer(grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error {
			<-stream.Context().Done()
			return nil
		}))
		source := descriptor.Reflection(dial(t, server), descriptor.WithLimits(descriptor.Limits{Timeout: time.Minute}))
		_, err := source.Load(t.Context())
		wantError(t, err, `reflection of "passthrough:///memory": listing the services: `,
			"not done after 1m0s; see what takes so long or raise descriptor.Limits.Timeout")
		if !errors.Is(err, descriptor.ErrLimit) {
			t.Errorf("%v is not ErrLimit", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := source.Load(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("with the caller's own deadline: %v", err)
		}
	})
}

func TestReflectionOfUnreachableServer(t *testing.T) {
	t.Parallel()
	conn, err := grpc.NewClient("passthrough:///nowhere:1", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) { return nil, errors.New("connection refused") }))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, err = descriptor.Reflection(conn).Load(t.Context())
	wantError(t, err, `reflection of "passthrough:///nowhere:1": listing the services: `, "connection refused")
	if status.Code(err) != codes.Unavailable {
		t.Errorf("code %v, want Unavailable", status.Code(err))
	}
	var plain grpc.ClientConnInterface = struct{ grpc.ClientConnInterface }{conn}
	_, err = descriptor.Reflection(plain).Load(t.Context())
	wantError(t, err, "reflection of the server: ")
}
