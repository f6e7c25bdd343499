package echo_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	echov1 "github.com/mcpgrpc/bridge/gen/echo/v1"
	"github.com/mcpgrpc/bridge/services/echo"
)

func TestSize(t *testing.T) {
	t.Parallel()
	client := dial(t)
	for name, size := range map[string]struct{ payload, elements int32 }{
		"nothing": {}, "payload": {1000, 0}, "elements": {0, 1000}, "both": {1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			req := &echov1.SizeRequest{PayloadBytes: size.payload, PageSize: size.elements}
			res, err := client.Size(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			if len(res.GetPayload()) != int(size.payload) || len(res.GetElements()) != int(size.elements) {
				t.Errorf("%d bytes and %d elements, want %d and %d", len(res.GetPayload()), len(res.GetElements()), size.payload, size.elements)
			}
			again, err := client.Size(t.Context(), req)
			if err != nil || !proto.Equal(res, again) {
				t.Errorf("the same request has another answer, %v", err)
			}
		})
	}
}

func TestElement(t *testing.T) {
	t.Parallel()
	res, err := echo.New().Size(t.Context(), &echov1.SizeRequest{PageSize: 8})
	if err != nil {
		t.Fatal(err)
	}
	want := &echov1.Element{
		Index: 7, Name: "element-7", Serial: 9007199254740999, Ratio: 3.5,
		Color: echov1.Color_COLOR_RED, Tags: []string{"tag-7", "mark-7"},
	}
	if diff := cmp.Diff(want, res.GetElements()[7], protocmp.Transform()); diff != "" {
		t.Errorf("element (-want +got):\n%s", diff)
	}
}

func TestMetadata(t *testing.T) {
	t.Parallel()
	client := dial(t)
	ctx := metadata.AppendToOutgoingContext(t.Context(), "x-id", "1", "x-id", "2", "x-raw-bin", "\x00\xff")
	ctx, cancel := context.WithTimeout(ctx, time.Hour)
	defer cancel()
	var header, trailer metadata.MD
	res, err := client.Metadata(ctx, &echov1.MetadataRequest{
		Header:  map[string]string{"x-head": "a b", "x-head-bin": "AP8="},
		Trailer: map[string]string{"x-trail": "c"},
	}, grpc.Header(&header), grpc.Trailer(&trailer))
	if err != nil {
		t.Fatal(err)
	}
	if got := res.GetReceived()["x-id"].GetValues(); !slices.Equal(got, []string{"1", "2"}) {
		t.Errorf("x-id arrived as %q", got)
	}
	if got := res.GetReceived()["x-raw-bin"].GetValues(); !slices.Equal(got, []string{"AP8="}) {
		t.Errorf("x-raw-bin arrived as %q", got)
	}
	if left := res.GetTimeLeft().AsDuration(); left <= 0 || left > time.Hour {
		t.Errorf("time left = %v of an hour", left)
	}
	if !slices.Equal(header.Get("x-head"), []string{"a b"}) || !slices.Equal(header.Get("x-head-bin"), []string{"\x00\xff"}) {
		t.Errorf("header = %v", header)
	}
	if !slices.Equal(trailer.Get("x-trail"), []string{"c"}) {
		t.Errorf("trailer = %v", trailer)
	}
}

func TestMetadataRefusals(t *testing.T) {
	t.Parallel()
	client := dial(t)
	for name, entry := range map[string][2]string{
		"upper case": {"X-Id", "1"}, "reserved": {"grpc-status", "1"}, "empty": {"", "1"}, "pseudo": {":path", "1"},
		"line break": {"x-id", "a\nb"}, "not ascii": {"x-id", "é"}, "not base64": {"x-id-bin", "?"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			entries := map[string]string{entry[0]: entry[1]}
			_, err := client.Metadata(t.Context(), &echov1.MetadataRequest{Header: entries})
			requireCode(t, err, codes.InvalidArgument)
			_, err = client.Metadata(t.Context(), &echov1.MetadataRequest{Trailer: entries})
			requireCode(t, err, codes.InvalidArgument)
		})
	}
}

func TestTimeLeftWithoutDeadline(t *testing.T) {
	t.Parallel()
	res, err := dial(t).Metadata(t.Context(), &echov1.MetadataRequest{})
	if err != nil || res.GetTimeLeft() != nil {
		t.Errorf("time left = %v, %v, want none", res.GetTimeLeft(), err)
	}
}

// TestIrregular shows of each value that protojson refuses it, and of the text
// that not even Unmarshal takes it.
func TestIrregular(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	for number, name := range echov1.Irregularity_name {
		if number == 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			irregularity := echov1.Irregularity(number)
			req := &echov1.IrregularRequest{Irregularities: []echov1.Irregularity{irregularity}}
			if irregularity == echov1.Irregularity_IRREGULARITY_TEXT {
				_, err := echov1.NewEchoServiceClient(conn).Irregular(t.Context(), req)
				requireCode(t, err, codes.Internal)
				return
			}
			res, err := echov1.NewEchoServiceClient(conn).Irregular(t.Context(), req)
			if err != nil || res.GetRegular() != "in order" {
				t.Fatalf("response = %v, %v", res, err)
			}
			if text, err := protojson.Marshal(res); err == nil {
				t.Errorf("protojson writes %s", text)
			}
		})
	}
}

// TestIrregularByDefault reads the wire: a request that names nothing gets every
// value, the text as bytes that are not UTF-8.
func TestIrregularByDefault(t *testing.T) {
	t.Parallel()
	res, err := echo.New().Irregular(t.Context(), &echov1.IrregularRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if !math.IsNaN(res.GetValue().GetNumberValue()) || len(res.GetAny()) != 2 || res.GetTimestamp() == nil ||
		res.GetDuration() == nil || res.GetFieldMask() == nil || res.GetStruct() == nil {
		t.Errorf("response = %v, want every value", res)
	}
	wire, err := proto.Marshal(res)
	if err != nil {
		t.Fatal(err)
	}
	text := protowire.AppendString(protowire.AppendTag(nil, 7, protowire.BytesType), "caf\xe9")
	if !bytes.Contains(wire, text) {
		t.Errorf("wire %x lacks the text %x", wire, text)
	}
}

func TestCount(t *testing.T) {
	t.Parallel()
	stream, err := dial(t).Count(t.Context(), &echov1.CountRequest{Limit: 3})
	if err != nil {
		t.Fatal(err)
	}
	var got []int32
	for {
		res, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, res.GetNumber())
	}
	if !slices.Equal(got, []int32{1, 2, 3}) {
		t.Errorf("numbers = %v", got)
	}
}

func TestCollect(t *testing.T) {
	t.Parallel()
	stream, err := dial(t).Collect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"a", "", "b"}
	for _, text := range want {
		if err := stream.Send(&echov1.CollectRequest{Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	res, err := stream.CloseAndRecv()
	if err != nil || !slices.Equal(res.GetTexts(), want) {
		t.Errorf("texts = %q, %v", res.GetTexts(), err)
	}
}

func TestChat(t *testing.T) {
	t.Parallel()
	stream, err := dial(t).Chat(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"a", "b"} {
		if err := stream.Send(&echov1.ChatRequest{Text: text}); err != nil {
			t.Fatal(err)
		}
		res, err := stream.Recv()
		if err != nil || res.GetText() != text {
			t.Errorf("%q was answered with %q, %v", text, res.GetText(), err)
		}
	}
	if err := stream.CloseSend(); err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Recv(); !errors.Is(err, io.EOF) {
		t.Errorf("the end = %v, want EOF", err)
	}
}
