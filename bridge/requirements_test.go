package bridge_test

import (
	"slices"
	"testing"

	"github.com/mcpgrpc/bridge/bridge"
)

// requirement is one MUST, or one SHOULD that is kept, of the specification.
type requirement struct {
	// name is the page of the specification and the rule.
	name string
	// in are the revisions that have it.
	in    []string
	check func(t *testing.T, s *stage, version string)
}

// The sets of revisions that have a rule.
var (
	legacyRevisions = revisions[:4]
	modernRevision  = revisions[4:]
	since20250326   = revisions[1:]
	since20250618   = revisions[2:]
	legacy20250618  = revisions[2:4]
	pollingRevision = revisions[3:4]
)

// requirements are all of them, by the pages of the specification. These have their tests in other places:
//
//	basic/transports  leaving does not cancel (legacy), cancels (modern)   TestDisconnect
//	                  comments keep a stream alive, stalled readers        streamable TestKeepAlive, TestReaderThatStops
//	                  resumption after a cut at any byte                   streamable TestResumptionAtEveryByte
//	basic/index       shape of all messages                                server TestTranscripts, by the official schemas
//	client            no answer in time, an error for one, many rounds     server TestTranscripts, questions and questions-legacy
//	basic/utilities   progress of calls that say nothing of it             server TestTranscripts, progress
//	basic/patterns    a state that has expired                             server TestTranscripts, questions
//	extensions/tasks  cancellation, the end of their time                  TestTaskCancelled, TestOperationsWhoseClientIsGone
//	                  questions within a task                              task TestAsk, the conformance suite
var requirements = slices.Concat(
	messageRequirements, lifecycleRequirements, perRequestRequirements, transportRequirements, legacyHTTPRequirements, modernHTTPRequirements,
	stdioRequirements, toolRequirements, resourceRequirements, subscriptionRequirements, promptRequirements, utilityRequirements, listenRequirements, changedRequirements,
	askedRequirements,
)

// TestRequirements has one test for each rule and revision, over the whole bridge.
func TestRequirements(t *testing.T) {
	t.Parallel()
	for _, version := range revisions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			for _, r := range requirements {
				if slices.Contains(r.in, version) {
					t.Run(r.name, func(t *testing.T) {
						t.Parallel()
						r.check(t, s, version)
					})
				}
			}
		})
	}
}

// stage is a bridge in front of the notes, over both transports.
type stage struct {
	notes  *notes
	bridge *bridge.Bridge
	url    string
}

// newStage makes one that ends with the test.
func newStage(t *testing.T, opts ...bridge.Option) *stage {
	t.Helper()
	n, backend := startNotes(t)
	b := newBridge(t, []bridge.Backend{backend}, opts...)
	return &stage{notes: n, bridge: b, url: serveHTTP(t, b)}
}

// fresh returns an HTTP client that has not shaken hands.
func (s *stage) fresh(version string) *wire { return &wire{url: s.url, version: version} }

// http returns an HTTP client that has shaken hands where the revision has a handshake.
func (s *stage) http(t *testing.T, version string) *wire {
	t.Helper()
	w := s.fresh(version)
	if version == modern {
		return w
	}
	a := w.request(t, "initialize", opening(version)).wantStatus(t, 200)
	w.session = a.header.Get("Mcp-Session-Id")
	w.post(t, body(version, "", "notifications/initialized", "", "")).wantStatus(t, 202)
	return w
}

// stdio returns a stdio client that has shaken hands where the revision has a handshake.
func (s *stage) stdio(t *testing.T, version string) *pipe {
	t.Helper()
	p := openPipe(t, s.bridge, version)
	if version != modern {
		p.ask(t, "initialize", opening(version)).wantResult(t)
		p.send(t, body(version, "", "notifications/initialized", "", ""))
	}
	return p
}

// both has check made over both transports.
func both(check func(t *testing.T, c talker, version string)) func(*testing.T, *stage, string) {
	return func(t *testing.T, s *stage, version string) {
		t.Helper()
		t.Run("http", func(t *testing.T) { t.Parallel(); check(t, s.http(t, version), version) })
		t.Run("stdio", func(t *testing.T) { t.Parallel(); check(t, s.stdio(t, version), version) })
	}
}
