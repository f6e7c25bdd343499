package echo

import (
	"context"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	echov1 "github.com/mcpgrpc/bridge/gen/echo/v1"
	"github.com/mcpgrpc/bridge/services/violation"
)

const (
	// yearTenThousand is the first second that a Timestamp must not hold.
	yearTenThousand = 253402300800
	// maxDuration is the greatest number of seconds that a Duration may hold.
	maxDuration = 315576000000
	// textField is the number of IrregularResponse.text.
	textField = 7
)

// irregularities puts the value of each irregularity into a response.
var irregularities = map[echov1.Irregularity]func(*echov1.IrregularResponse){
	echov1.Irregularity_IRREGULARITY_TIMESTAMP: func(r *echov1.IrregularResponse) {
		r.Timestamp = &timestamppb.Timestamp{Seconds: yearTenThousand}
	},
	echov1.Irregularity_IRREGULARITY_DURATION: func(r *echov1.IrregularResponse) {
		r.Duration = &durationpb.Duration{Seconds: maxDuration + 1}
	},
	echov1.Irregularity_IRREGULARITY_FIELD_MASK: func(r *echov1.IrregularResponse) {
		r.FieldMask = &fieldmaskpb.FieldMask{Paths: []string{"upperCase", "double__underscore"}}
	},
	echov1.Irregularity_IRREGULARITY_UNKNOWN_ANY: func(r *echov1.IrregularResponse) {
		r.Any = append(r.Any, &anypb.Any{TypeUrl: unknownType, Value: []byte{8, 1}})
	},
	echov1.Irregularity_IRREGULARITY_BROKEN_ANY: func(r *echov1.IrregularResponse) {
		r.Any = append(r.Any, &anypb.Any{TypeUrl: "type.googleapis.com/echo.v1.Nested", Value: []byte{0xff}})
	},
	echov1.Irregularity_IRREGULARITY_NAN_VALUE: func(r *echov1.IrregularResponse) {
		r.Value = structpb.NewNumberValue(math.NaN())
	},
	echov1.Irregularity_IRREGULARITY_EMPTY_VALUE: func(r *echov1.IrregularResponse) {
		r.Struct = &structpb.Struct{Fields: map[string]*structpb.Value{
			"list": structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{{}, structpb.NewBoolValue(true)}}),
		}}
	},
	echov1.Irregularity_IRREGULARITY_TEXT: brokenText,
}

// brokenText sets the text by way of unknown fields, which go out as they are:
// the marshaller would refuse what is not UTF-8.
func brokenText(r *echov1.IrregularResponse) {
	raw := protowire.AppendTag(nil, textField, protowire.BytesType)
	r.ProtoReflect().SetUnknown(protowire.AppendString(raw, "caf\xe9"))
}

// Irregular returns the requested values, or all. A Go client cannot decode a
// response that holds the text.
func (s *Server) Irregular(_ context.Context, req *echov1.IrregularRequest) (*echov1.IrregularResponse, error) {
	if err := violation.Check("", req); err != nil {
		return nil, err
	}
	res := &echov1.IrregularResponse{Regular: "in order"}
	asked := req.GetIrregularities()
	if len(asked) == 0 {
		for number := range int32(len(irregularities)) {
			asked = append(asked, echov1.Irregularity(number+1))
		}
	}
	for _, irregularity := range asked {
		irregularities[irregularity](res)
	}
	return res, nil
}
