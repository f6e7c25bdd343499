package server

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/interaction"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// spokenProgress is what was told, and when.
type spokenProgress struct {
	mcp.Progress
	at time.Time
}

// listening begins to tell of a call that streams, or does not.
func listening(streams bool) (p *progress, told *[]spokenProgress) {
	told = &[]spokenProgress{}
	c := &call{}
	if streams {
		c.target.stream = &catalog.Stream{Server: true, Events: interaction.EventsOf((&bridgev1.Progress{}).ProtoReflect().Descriptor())}
	}
	return newProgress(c, false, func(next *mcp.Progress, _ bool) { *told = append(*told, spokenProgress{*next, time.Now()}) }), told
}

// TestProgressGrows: whatever a backend says and sends, and however time passes, what is told grows, is a number, comes at most 20
// times in a second, and ends with the call.
func TestProgressGrows(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	for range 200 {
		synctest.Test(t, func(t *testing.T) {
			p, told := listening(random.IntN(3) > 0)
			steps := random.IntN(200)
			for range steps {
				disturb(random, p)
			}
			p.end()
			ended := len(*told)
			p.says(&bridgev1.Progress{Progress: 1e300})
			p.counts()
			time.Sleep(time.Hour)
			if len(*told) != ended {
				t.Errorf("told of %v after the end", (*told)[ended:])
			}
			checkTold(t, *told)
		})
	}
}

// TestProgressWithinTotal: what the bridge itself says never claims more than there is, as the backend has said.
func TestProgressWithinTotal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, streams := range []bool{false, true} {
			p, told := listening(streams)
			p.says(&bridgev1.Progress{Progress: 5, Total: proto.Float64(5), Message: "packing"})
			time.Sleep(31 * time.Second)
			p.remark("unpacking")
			p.end()
			if len(*told) != 4 {
				t.Errorf("told %v", *told)
			}
			for _, one := range *told {
				if one.Total != nil && one.Progress.Progress > *one.Total || one.Progress.Progress > 5.1 {
					t.Errorf("told %v of %v: %s", one.Progress.Progress, *one.Total, one.Message)
				}
			}
		}
	})
}

// TestProgressOfManyMessages: messages are counted, and told of once a second.
func TestProgressOfManyMessages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, told := listening(true)
		for range 3000 {
			time.Sleep(time.Millisecond)
			p.counts()
		}
		p.end()
		if n := len(*told); n < 3 || n > 4 || (*told)[n-1].Progress.Progress != 3000 {
			t.Errorf("told %v", *told)
		}
		for i := range *told {
			if i > 0 && i < len(*told)-1 && (*told)[i].at.Sub((*told)[i-1].at) < time.Second {
				t.Errorf("told at %v and %v", (*told)[i-1].at, (*told)[i].at)
			}
		}
	})
}

// TestProgressOfRounds: what a backend says when it is called again is told, however far it was before.
func TestProgressOfRounds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, told := listening(true)
		for range 3 {
			p.restart()
			for i := range 3 {
				p.says(&bridgev1.Progress{Progress: float64(i), Total: proto.Float64(3)})
				time.Sleep(time.Second)
			}
		}
		p.end()
		if len(*told) != 9 {
			t.Errorf("told %d times", len(*told))
		}
		checkTold(t, *told)
	})
}

// TestProgressOfTask: people are told the backend's last words in its own numbers, whether these grow or not, and no heartbeat.
func TestProgressOfTask(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var told []string
		r := &request{progress: func(p *mcp.Progress) { told = append(told, said(p)) }}
		p := (&call{request: r}).tells()
		for _, word := range []*bridgev1.Progress{
			{Progress: 2, Total: proto.Float64(5), Message: "packing"},
			{Progress: 1 << 20, Total: proto.Float64(10 << 20)},
			{Message: "phase 1"},
			{Message: "phase 2"},
			{Progress: 0.5, Total: proto.Float64(1)},
		} {
			p.says(word)
			time.Sleep(16 * time.Second)
		}
		p.remark("it waits")
		p.end()
		want := []string{"2 of 5: packing", "1048576 of 10485760", "phase 1", "phase 2", "0.5 of 1", "it waits"}
		if diff := cmp.Diff(want, told); diff != "" {
			t.Error(diff)
		}
	})
}

// TestProgressSaysLittle: a backend that says much is cut short.
func TestProgressSaysLittle(t *testing.T) {
	t.Parallel()
	p, told := listening(true)
	p.says(&bridgev1.Progress{Message: strings.Repeat("é", 1<<20)})
	p.end()
	if got := (*told)[0].Message; len(got) > maxSaid || !utf8.ValidString(got) {
		t.Errorf("told %d bytes", len(got))
	}
}

// TestProgressFollows: what is told of an operation grows above what was told of the call that began it.
func TestProgressFollows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		call, said := listening(false)
		time.Sleep(2*heartbeat + time.Second)
		call.end()
		operation, more := listening(false)
		operation.follows(call)
		operation.says(&bridgev1.Progress{})
		operation.says(&bridgev1.Progress{Progress: 1})
		time.Sleep(2*heartbeat + time.Second)
		operation.end()
		operation.follows(nil)
		if len(*said) != 2 || len(*more) != 4 {
			t.Fatalf("told of %v, then of %v", *said, *more)
		}
		checkTold(t, append(*said, *more...))
	})
}

// disturb lets something happen to a call.
func disturb(random *rand.Rand, p *progress) {
	values := []float64{0, -1, 1, 2.5, 1e300, math.MaxFloat64, math.NaN(), math.Inf(1), float64(random.IntN(100)), random.Float64()}
	waits := []time.Duration{0, time.Millisecond, 30 * time.Millisecond, time.Second, 16 * time.Second, time.Minute}
	switch random.IntN(10) {
	case 0:
		p.remark("so it is")
	case 1:
		p.restart()
	case 2, 3:
		p.says(&bridgev1.Progress{Progress: values[random.IntN(len(values))], Total: new(values[random.IntN(len(values))])})
	case 4, 5:
		p.counts()
	default:
		time.Sleep(waits[random.IntN(len(waits))])
	}
}

// checkTold holds what was told against what clients demand.
func checkTold(t *testing.T, told []spokenProgress) {
	t.Helper()
	for i, one := range told {
		if !finite(one.Progress.Progress) || one.Total != nil && !finite(*one.Total) {
			t.Errorf("told of %v", one)
		}
		if i > 0 && one.Progress.Progress <= told[i-1].Progress.Progress {
			t.Errorf("%v follows %v", one.Progress, told[i-1].Progress)
		}
		if i >= 21 && one.at.Sub(told[i-21].at) < time.Second {
			t.Errorf("22 times within %v", one.at.Sub(told[i-21].at))
		}
	}
}

// TestHeartbeat: a call of which nobody hears is told of every 15 s, until it ends.
func TestHeartbeat(t *testing.T) {
	t.Parallel()
	for _, streams := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			p, told := listening(streams)
			time.Sleep(46 * time.Second)
			p.end()
			if len(*told) != 3 {
				t.Errorf("told %v", *told)
			}
			checkTold(t, *told)
		})
	}
}

// TestLatestWordIsTold: of words that come too fast the latest is told in the end, and soon where the backend is silent then.
func TestLatestWordIsTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, told := listening(true)
		for i := range 50 {
			p.says(&bridgev1.Progress{Progress: float64(i)})
		}
		time.Sleep(200 * time.Millisecond)
		synctest.Wait()
		if n := len(*told); n != burstOfWords+1 || (*told)[n-1].Progress.Progress != 49 {
			t.Errorf("told %v", *told)
		}
		p.says(&bridgev1.Progress{Progress: 50})
		p.end()
		if n := len(*told); (*told)[n-1].Progress.Progress != 50 {
			t.Errorf("told %v", *told)
		}
	})
}

// TestWordsAreSlowed: of a backend that goes on speaking too fast, clients hear at first what may come at once, and then 10 words a second.
func TestWordsAreSlowed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, told := listening(true)
		defer p.end()
		for i := range 500 {
			p.says(&bridgev1.Progress{Progress: float64(i)})
			time.Sleep(10 * time.Millisecond)
		}
		synctest.Wait()
		if n, most := len(*told), burstOfWords+5*wordsInASec; n > most || n < most-5 {
			t.Errorf("told %d times in 5 s, not %d", n, most)
		}
		for i, one := range *told {
			if i > 0 && one.Progress.Progress < math.Floor((*told)[i-1].Progress.Progress)+1 {
				t.Errorf("%v follows %v, which is later", one.Progress, (*told)[i-1].Progress)
			}
		}
	})
}
