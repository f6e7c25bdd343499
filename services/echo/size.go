package echo

import (
	"context"
	"strconv"
	"strings"

	echov1 "github.com/mcpgrpc/bridge/gen/echo/v1"
	"github.com/mcpgrpc/bridge/services/violation"
)

const (
	// alphabet is what payloads are made of: no character that JSON escapes.
	alphabet = "abcdefghijklmnopqrstuvwxyz0123456789"
	// firstSerial is where a float64 begins to lose integers.
	firstSerial = 1 << 53
)

// Size returns a text and a list of the requested lengths; the same lengths give
// the same answer.
func (s *Server) Size(_ context.Context, req *echov1.SizeRequest) (*echov1.SizeResponse, error) {
	if err := violation.Check("", req); err != nil {
		return nil, err
	}
	res := &echov1.SizeResponse{
		Payload:  payload(int(req.GetPayloadBytes())),
		Elements: make([]*echov1.Element, req.GetPageSize()),
	}
	for i := range res.GetElements() {
		res.Elements[i] = element(i)
	}
	return res, nil
}

func payload(size int) string {
	return strings.Repeat(alphabet, size/len(alphabet)+1)[:size]
}

func element(i int) *echov1.Element {
	digits := strconv.Itoa(i)
	return &echov1.Element{
		Index:  int32(i),
		Name:   "element-" + digits,
		Serial: firstSerial + int64(i),
		Ratio:  float64(i) / 2,
		Even:   i%2 == 0,
		Color:  echov1.Color(i % 3),
		Tags:   []string{"tag-" + digits, "mark-" + digits},
	}
}
