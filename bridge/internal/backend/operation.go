package backend

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	grpcstatus "google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// Operation is a google.longrunning.Operation: work of a backend that goes on behind the call that began it.
type Operation struct {
	// Name is by what it is asked for.
	Name string
	// Done says that it has ended, with an Error or with a response in Raw.
	Done bool
	// Metadata is a google.protobuf.Any in wire format, in which the backend says how it stands; nil for nothing.
	Metadata []byte
	// Raw is the whole operation in wire format.
	Raw []byte
	// Error is why it failed, nil where it did not; the backend has carried it out.
	Error *Failure
}

// The fields of google.longrunning.Operation.
const (
	operationName     protowire.Number = 1
	operationMetadata protowire.Number = 2
	operationDone     protowire.Number = 3
	operationError    protowire.Number = 4
)

// errOperation says that bytes are no operation.
var errOperation = errors.New("the reply is no google.longrunning.Operation")

// ReadOperation reads an operation in wire format, which it keeps: the reply of a method.
func (b *Backend) ReadOperation(method protoreflect.MethodDescriptor, wire []byte) (*Operation, error) {
	op := &Operation{Raw: wire}
	var failed []byte
	for rest := wire; len(rest) > 0; {
		number, typ, n := protowire.ConsumeTag(rest)
		if n < 0 {
			return nil, errOperation
		}
		size := protowire.ConsumeFieldValue(number, typ, rest[n:])
		if size < 0 {
			return nil, errOperation
		}
		field := rest[n : n+size]
		rest = rest[n+size:]
		switch {
		case typ == protowire.VarintType && number == operationDone:
			v, _ := protowire.ConsumeVarint(field)
			op.Done = protowire.DecodeBool(v)
		case typ != protowire.BytesType:
		case number == operationName:
			v, _ := protowire.ConsumeString(field)
			op.Name = v
		case number == operationMetadata:
			v, _ := protowire.ConsumeBytes(field)
			op.Metadata = append(op.Metadata, v...)
		case number == operationError:
			v, _ := protowire.ConsumeBytes(field)
			failed = append(failed, v...)
		}
	}
	if failed == nil || !op.Done {
		return op, nil
	}
	st := &status.Status{}
	if err := proto.Unmarshal(failed, st); err != nil {
		return nil, errOperation
	}
	op.Error = b.failed(method, st)
	return op, nil
}

// failed makes the error of an operation a failure: of a call that the backend has carried out.
func (b *Backend) failed(method protoreflect.MethodDescriptor, st *status.Status) *Failure {
	if codes.Code(st.GetCode()) == codes.OK {
		st = &status.Status{Code: int32(codes.Unknown), Message: st.GetMessage()}
	}
	seen := evidence{started: time.Now(), trailer: metadata.MD{"grpc-status": nil}} // its own answer, and no library's
	f := b.explain(context.Background(), method, grpcstatus.FromProto(st).Err(), &seen)
	if f.Input != nil {
		f.AskedLate()
	}
	return f
}

// operations are the methods of google.longrunning.Operations that are called here. What the backend itself has of the
// service counts for nothing: many do not list it.
var operations = sync.OnceValue(func() protoreflect.MethodDescriptors {
	message := func(name string) *descriptorpb.DescriptorProto {
		return &descriptorpb.DescriptorProto{Name: new(name), Field: []*descriptorpb.FieldDescriptorProto{{
			Name: new("name"), Number: new(int32(operationName)), JsonName: new("name"),
			Type: descriptorpb.FieldDescriptorProto_TYPE_STRING.Enum(), Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(),
		}}}
	}
	method := func(name, response string, level descriptorpb.MethodOptions_IdempotencyLevel) *descriptorpb.MethodDescriptorProto {
		return &descriptorpb.MethodDescriptorProto{
			Name: new(name), InputType: new(".google.longrunning.Request"), OutputType: new(".google.longrunning." + response),
			Options: &descriptorpb.MethodOptions{IdempotencyLevel: level.Enum()},
		}
	}
	file, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{
		Name: new("operations"), Package: new("google.longrunning"), Syntax: new("proto3"),
		MessageType: []*descriptorpb.DescriptorProto{message("Request"), message("Operation"), {Name: new("Empty")}},
		Service: []*descriptorpb.ServiceDescriptorProto{{Name: new("Operations"), Method: []*descriptorpb.MethodDescriptorProto{
			method("GetOperation", "Operation", descriptorpb.MethodOptions_NO_SIDE_EFFECTS),
			method("CancelOperation", "Empty", descriptorpb.MethodOptions_IDEMPOTENT),
		}}},
	}, nil)
	if err != nil {
		return nil // which it never is: the descriptor is above
	}
	return file.Services().Get(0).Methods()
})

// GetOperation asks for an operation by its name, at google.longrunning.Operations of the same server.
func (b *Backend) GetOperation(ctx context.Context, name string) (*Operation, *Failure) {
	method := operations().ByName("GetOperation")
	reply, f := b.Unary(ctx, method, byName(name))
	if f != nil {
		return nil, f
	}
	op, err := b.ReadOperation(method, reply)
	if err != nil {
		return nil, &Failure{Code: codes.Internal, Message: err.Error(), Execution: Executed, verdict: answeredReply}
	}
	if op.Error != nil {
		op.Error.Retryable = op.Error.RetryAfter > 0 // of the method that began it nothing is known here
	}
	return op, nil
}

// Bare is the operation in wire format with its name, and whether it is done, alone.
func (o *Operation) Bare() []byte {
	wire := byName(o.Name)
	if o.Done {
		wire = protowire.AppendVarint(protowire.AppendTag(wire, operationDone, protowire.VarintType), 1)
	}
	return wire
}

// Title is the name for people, the backend's word: one line, at most 512 bytes, without what could act on who reads it.
func (o *Operation) Title() string { return clean(o.Name, maxPhrase) }

// Lost is the failure of the call that began an operation where f is why it cannot be asked for any more: whatever befell the
// asking, the backend has done what the call was for.
func (o *Operation) Lost(f *Failure) *Failure {
	lost := *f
	lost.Message = clean(fmt.Sprintf("the operation %q was begun, and how it stands cannot be asked: %s", o.Title(), f.Message), maxMessage)
	lost.Execution, lost.verdict, lost.broken = Executed, answeredBegun, false
	lost.Retryable, lost.RetryAfter, lost.ReplyTooLarge, lost.Input, lost.Attempts = false, 0, false, nil, 0
	return &lost
}

// CancelOperation asks the backend to give an operation up, which it need not do. No quota refuses it: it makes less work of more.
func (b *Backend) CancelOperation(ctx context.Context, name string) *Failure {
	ctx = context.WithValue(ctx, uncountedKey{}, true)
	_, f := b.Unary(ctx, operations().ByName("CancelOperation"), byName(name))
	return f
}

// byName is a request with the name of an operation.
func byName(name string) []byte {
	return protowire.AppendString(protowire.AppendTag(nil, operationName, protowire.BytesType), name)
}
