package interaction

import (
	"fmt"
	"math"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

const (
	// maxKept is the size of all answers that are kept until the others come, in bytes:
	// sealed, they have to come back within a request of the client's, as maxAsked.
	maxKept = 256 << 10
	// maxFaults bounds how many answers are told that nothing asked for.
	maxFaults = 8
)

// tooLarge is the fault of an answer that would be taken if none were missing.
var tooLarge = fmt.Sprintf("it fits, but takes too much to be kept until the others are there (%d bytes for all): "+
	"give it once more, together with them", maxKept)

// Sorted is what a client has answered so far of what it was asked.
type Sorted struct {
	// Given are the answers that fit, in the order of the requests.
	Given []*bridgev1.InputResponse
	// Missing are the requests without one, in their order: to be asked again, with the
	// Fault of those that were answered and not as they have to be.
	Missing []Request
	// Faults say what is wrong with the answers that were brought, each a sentence that
	// names its key; nil where nothing is missing.
	Faults []string
}

// Sort holds a client's answers, an object as raw JSON with the keys of requests,
// against what was asked for. kept are those that it has brought before, which
// count. What was not asked for is passed over, as the specification wants it
// (2026-07-28 basic/patterns/mrtr), and told where an answer is missing, which it
// may have been meant to be.
func Sort(requests []Request, kept []*bridgev1.InputResponse, answers []byte) Sorted {
	sorted := sortWithin(math.MaxInt, requests, kept, answers)
	if len(sorted.Missing) > 0 {
		sorted = sortWithin(maxKept, requests, kept, answers)
		sorted.stray(requests, answers)
	}
	return sorted
}

// sortWithin is Sort with a bound, in bytes, on the answers that are given: those
// that are new and beyond it are missing.
func sortWithin(room int, requests []Request, kept []*bridgev1.InputResponse, answers []byte) Sorted {
	var sorted Sorted
	for _, answer := range kept {
		room -= proto.Size(answer)
	}
	for i := range requests {
		r := &requests[i]
		if before := answerTo(r.Key, kept); before != nil {
			sorted.Given = append(sorted.Given, before)
			continue
		}
		answer, fault := r.find(answers)
		if size := proto.Size(answer); answer != nil && size > room {
			answer, fault = nil, tooLarge
		} else {
			room -= size
		}
		if answer == nil {
			sorted.miss(r, fault)
			continue
		}
		sorted.Given = append(sorted.Given, answer)
	}
	return sorted
}

// find reads the answer to the request out of all: nil where there is none that
// fits, and then a fault where there is one.
func (r *Request) find(answers []byte) (*bridgev1.InputResponse, string) {
	raw, ok := jsonrpc.Find(answers, r.Key)
	if !ok {
		return nil, ""
	}
	answer, err := r.Answer(raw)
	if err != nil {
		return nil, err.Error()
	}
	return answer, ""
}

// miss notes a request that has to be asked again. fault is what is wrong with its
// answer; "" where there is none.
func (s *Sorted) miss(r *Request, fault string) {
	again := *r
	again.Fault = fault
	s.Missing = append(s.Missing, again)
	if fault != "" {
		s.Faults = append(s.Faults, fmt.Sprintf("the answer to %q: %s", r.Key, fault))
	}
}

// stray tells of answers that nothing asked for.
func (s *Sorted) stray(requests []Request, answers []byte) {
	told := 0
	for name := range members(answers) {
		if slices.ContainsFunc(requests, func(r Request) bool { return r.Key == name }) {
			continue
		}
		if told++; told > maxFaults {
			return
		}
		s.Faults = append(s.Faults, fmt.Sprintf("the answer to %q: there is no request with this key", jsonrpc.Echo(name)))
	}
}

// answerTo finds the answer with a key; nil for none.
func answerTo(key string, answers []*bridgev1.InputResponse) *bridgev1.InputResponse {
	for _, a := range answers {
		if a.GetKey() == key {
			return a
		}
	}
	return nil
}
