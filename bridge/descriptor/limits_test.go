package descriptor_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
)

func TestDefaultLimits(t *testing.T) {
	t.Parallel()
	want := descriptor.Limits{Bytes: 64 << 20, Files: 20000, Timeout: 30 * time.Second}
	if got := descriptor.DefaultLimits(); got != want {
		t.Errorf("DefaultLimits() = %v, want %v", got, want)
	}
}

func TestNewKeepsLimits(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		files  []*descriptorpb.FileDescriptorProto
		limits descriptor.Limits
		want   []string
	}{
		"files":       {compile(t, shop), descriptor.Limits{Files: 2}, []string{"more than 2 files", "Limits.Files"}},
		"bytes":       {compile(t, shop), descriptor.Limits{Bytes: 100}, []string{"more than 100 bytes of descriptors", "Limits.Bytes"}},
		"expansion":   {deep(90, 2000), descriptor.Limits{Bytes: 1 << 20}, []string{"expand to more than 1 MiB in memory", "Limits.Bytes"}},
		"zero is all": {compile(t, shop), descriptor.Limits{}, nil},
		"negative":    {compile(t, shop), descriptor.Limits{Bytes: -1, Files: -1, Timeout: -1}, nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := descriptor.New(c.files, nil, descriptor.WithLimits(c.limits))
			if c.want == nil {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			wantError(t, err, c.want...)
			if !errors.Is(err, descriptor.ErrLimit) {
				t.Errorf("%v is not ErrLimit", err)
			}
		})
	}
}

// Messages nested more deeply than any parser of protobuf allows are refused before their names are spelled out.
func TestNewRefusesDeepNesting(t *testing.T) {
	t.Parallel()
	wantProblems(t, mustNew(t, deep(5000, 1)), "deep.proto", "not a file descriptor")
}

// deep returns a file of messages nested in each other, with names of the given length.
func deep(levels, length int) []*descriptorpb.FileDescriptorProto {
	var inner []*descriptorpb.DescriptorProto
	for i := range levels {
		name := fmt.Sprintf("M%0*d", length, i)
		inner = []*descriptorpb.DescriptorProto{{
			Name: proto.String(name), NestedType: inner,
			EnumType: []*descriptorpb.EnumDescriptorProto{{
				Name:  proto.String("E"),
				Value: []*descriptorpb.EnumValueDescriptorProto{{Name: proto.String("V" + strings.Repeat("v", length)), Number: proto.Int32(0)}},
			}},
		}}
	}
	return []*descriptorpb.FileDescriptorProto{{Name: proto.String("deep.proto"), Syntax: proto.String("proto3"), MessageType: inner}}
}
