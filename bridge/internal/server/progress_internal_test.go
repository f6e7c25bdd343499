package server

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

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
	return newProgress(c, func(next *mcp.Progress, _ bool) { *told = append(*told, spokenProgress{*next, time.Now()}) }), told
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
	switch random.IntN(4) {
	case 0:
		p.says(&bridgev1.Progress{Progress: values[random.IntN(len(values))], Total: new(values[random.IntN(len(values))])})
	case 1:
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
