package descriptor_test

import (
	"errors"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
)

// wantSuccession compares two loads of one source: the pairs are a name and a part of the reason of each loss, and kept
// is what the first still has of services after the second.
func wantSuccession(t *testing.T, before, next *descriptor.Set, pairs, kept []string) {
	t.Helper()
	lost := next.Lost(before)
	if len(lost) != len(pairs)/2 {
		t.Fatalf("lost %q, want %q", lost, pairs)
	}
	for i, problem := range lost {
		if problem.Name != pairs[2*i] {
			t.Errorf("loss %d is %q, want %q", i, problem, pairs[2*i:2*i+2])
		}
		wantError(t, errors.New(problem.Reason), pairs[2*i+1])
	}
	still := before.Still(next)
	wantServices(t, still, kept...)
	if same := len(before.Services()) == len(kept); same != (still == before) || same != (still.Digest() == before.Digest()) {
		t.Errorf("same services: %t, same set: %t, same digest: %t", same, still == before, still.Digest() == before.Digest())
	}
	if lost := before.Lost(before); len(lost) > 0 || before.Still(before) != before {
		t.Errorf("of itself it lost %q", lost)
	}
}

// A server says which services it has; what it lists and does not describe as it did is lost, what it lists no more is
// gone.
func TestLossesOfReflection(t *testing.T) {
	t.Parallel()
	all := compile(t, shop)
	orders, prices, money := byName(t, all, "shop/orders.proto"), byName(t, all, "shop/prices.proto"), byName(t, all, "shop/money.proto")
	both := []string{"shop.Orders", "shop.Prices"}
	described := map[string]reply{"shop.Orders": files(t, orders), "shop.Prices": files(t, prices)}
	imports := map[string]reply{"shop/money.proto": files(t, money)}
	needless := proto.CloneOf(orders)
	needless.Dependency = append(needless.Dependency, "shop/prices.proto")
	cases := map[string]struct {
		next *script
		lost []string
		kept []string
	}{
		"nothing": {&script{lists: both, symbols: described, files: imports}, nil, both},
		"silent": {
			&script{
				lists: both, symbols: map[string]reply{"shop.Orders": files(t, orders), "shop.Prices": refusal(codes.Internal, "busy")},
				files: imports,
			},
			[]string{"shop.Prices", "cannot describe it: busy"},
			both,
		},
		"an import": {
			&script{lists: both, symbols: described},
			[]string{"shop.Orders", "could not be built", "shop.Prices", "which the server did not give"},
			both,
		},
		"gone": {&script{lists: both[:1], symbols: described, files: imports}, nil, both[:1]},
		"gone, with a file that another names": {
			&script{lists: both[:1], symbols: map[string]reply{"shop.Orders": files(t, needless)}, files: imports}, nil, both[:1],
		},
		"gone and silent": {&script{lists: both[1:]}, []string{"shop.Prices", "cannot describe it"}, both[1:]},
		"all gone":        {&script{lists: []string{"shop.New"}, symbols: described}, nil, nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := &script{lists: both, symbols: described, files: imports}
			first := mustLoad(t, descriptor.Reflection(dial(t, before.server())))
			wantSuccession(t, first, mustLoad(t, descriptor.Reflection(dial(t, c.next.server()))), c.lost, c.kept)
		})
	}
}

// Where files say which services there are, a file that cannot be read takes its services' names along.
func TestLossesOfFileSets(t *testing.T) {
	t.Parallel()
	all := compile(t, shop)
	rest := except(all, "shop/prices.proto")
	garbled := protowire.AppendTag(encodedSet(t, rest...), 1, protowire.BytesType)
	garbled = protowire.AppendString(garbled, "\n\x11shop/prices.proto\xff")
	both := []string{"shop.Orders", "shop.Prices"}
	cases := map[string]struct {
		next []byte
		lost []string
		kept []string
	}{
		"nothing":      {encodedSet(t, all...), nil, both},
		"a file":       {garbled, []string{"shop/prices.proto", "not a file descriptor"}, both},
		"file dropped": {encodedSet(t, rest...), nil, both[:1]},
		"import dropped": {
			encodedSet(t, except(all, "shop/money.proto")...),
			[]string{"shop.Orders", "was not found", "shop.Prices", "was not found"},
			both,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first := mustLoad(t, descriptor.FileSetBytes("before", encodedSet(t, all...)))
			wantSuccession(t, first, mustLoad(t, descriptor.FileSetBytes("next", c.next)), c.lost, c.kept)
		})
	}
}

// Comments are lost when their text can be loaded no more; that they fit nothing any more is a change, as is all that
// happens to the base.
func TestLossesOfOverlays(t *testing.T) {
	t.Parallel()
	base, text := fixed{set: mustNew(t, bare(compile(t, moved)))}, fixed{set: mustNew(t, compile(t, sources{"commented.proto": commented}))}
	unread := fixed{err: errors.New("no such file")}
	other := fixed{set: mustNew(t, compile(t, shop))}
	silent, err := descriptor.New(except(bare(compile(t, moved)), "commented.proto"), []protoreflect.FullName{"all.S"})
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		before, next descriptor.Source
		lost, kept   []string
	}{
		"nothing": {descriptor.Overlay(base, text), descriptor.Overlay(base, text), nil, []string{"all.S"}},
		"text": {
			descriptor.Overlay(base, text), descriptor.Overlay(base, unread), []string{"comments", "not loaded: no such file"}, []string{"all.S"},
		},
		"never there":      {descriptor.Overlay(base, unread), descriptor.Overlay(base, unread), nil, []string{"all.S"}},
		"found":            {descriptor.Overlay(base, unread), descriptor.Overlay(base, text), nil, []string{"all.S"}},
		"text and service": {descriptor.Overlay(base, text), descriptor.Overlay(other, unread), []string{"comments", "not loaded"}, nil},
		"another API":      {descriptor.Overlay(base, text), descriptor.Overlay(other, text), nil, nil},
		"a silent service": {
			descriptor.Overlay(base, text), descriptor.Overlay(fixed{set: silent}, text), []string{"all.S", "no file declares"}, []string{"all.S"},
		},
		"text within": {
			descriptor.Overlay(descriptor.Overlay(base, text), text), descriptor.Overlay(descriptor.Overlay(base, unread), text),
			[]string{"comments", "not loaded"},
			[]string{"all.S"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantSuccession(t, mustLoad(t, c.before), mustLoad(t, c.next), c.lost, c.kept)
		})
	}
}

// What a file set over an overlay's base says of its services is no other than without the overlay.
func TestLossesUnderOverlays(t *testing.T) {
	t.Parallel()
	all := compile(t, shop)
	garbled := protowire.AppendString(protowire.AppendTag(encodedSet(t, except(all, "shop/prices.proto")...), 1, protowire.BytesType),
		"\n\x11shop/prices.proto\xff")
	text := fixed{set: mustNew(t, []*descriptorpb.FileDescriptorProto{byName(t, all, "shop/money.proto")})}
	first := mustLoad(t, descriptor.Overlay(descriptor.FileSetBytes("before", encodedSet(t, all...)), text))
	next := mustLoad(t, descriptor.Overlay(descriptor.FileSetBytes("next", garbled), text))
	wantSuccession(t, first, next, []string{"shop/prices.proto", "not a file descriptor"}, []string{"shop.Orders", "shop.Prices"})
}
