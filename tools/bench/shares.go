package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// stack is a place in which a profile found the program, the innermost function first, and for how long.
type stack struct {
	spent  time.Duration
	frames []string
}

// readStacks reads what go tool pprof -traces prints: stacks with a dashed line before each, the time in front of the first frame.
func readStacks(text []byte) []stack {
	var found []stack
	for block := range bytes.SplitSeq(text, []byte("-----------+")) {
		var s stack
		for line := range bytes.Lines(block) {
			fields := strings.Fields(strings.TrimSuffix(strings.TrimSpace(string(line)), " (inline)"))
			switch spent, err := time.ParseDuration(cmp.Or(slices.Concat(fields, []string{""})[0], "-")); {
			case len(fields) == 2 && err == nil:
				s = stack{spent, fields[1:]}
			case len(fields) == 1 && s.frames != nil:
				s.frames = append(s.frames, fields[0])
			}
		}
		if s.frames != nil {
			found = append(found, s)
		}
	}
	return found
}

// collecting and allocating are what the garbage collector and the allocator look like in a stack.
var (
	collecting = []string{"runtime.gcBgMarkWorker", "runtime.gcAssistAlloc", "runtime.bgsweep", "runtime.bgscavenge", "runtime.gcStart"}
	allocating = []string{"runtime.mallocgc", "runtime.growslice", "runtime.newobject", "runtime.makeslice"}
	kernel     = []string{"internal/runtime/syscall/linux.", "syscall.", "runtime.futex", "runtime.epollwait"}
)

const ours = "github.com/mcpgrpc/bridge/bridge/"

// share is the part of the program that a stack counts for: that of the innermost function which belongs to one, so that what a
// part has the standard library or protobuf do counts for the part.
func (s stack) share() string {
	if s.through(collecting) {
		return "garbage collector"
	}
	for _, frame := range s.frames {
		if room, ok := strings.CutPrefix(frame, ours); ok {
			room, _, _ = strings.Cut(strings.TrimPrefix(room, "internal/"), ".")
			return "bridge: " + room
		}
		switch {
		case strings.HasPrefix(frame, "main."):
			return "bridge: cmd"
		case strings.HasPrefix(frame, "google.golang.org/grpc"):
			return "grpc-go"
		case strings.HasPrefix(frame, "go.opentelemetry.io/"):
			return "OpenTelemetry"
		case strings.HasPrefix(frame, "net/http."):
			return "net/http"
		}
	}
	return "scheduler and the rest"
}

// through reports whether a frame begins like one of prefixes.
func (s stack) through(prefixes []string) bool {
	return slices.ContainsFunc(s.frames, func(frame string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(frame, p) })
	})
}

// writeShares writes how the time is shared out, the greatest part first, and what of it are system calls and allocations.
func writeShares(out io.Writer, stacks []stack) error {
	var all, syscalls, allocations time.Duration
	shares := map[string]time.Duration{}
	for _, s := range stacks {
		all += s.spent
		shares[s.share()] += s.spent
		if s.through(kernel) {
			syscalls += s.spent
		} else if s.through(allocating) && !s.through(collecting) {
			allocations += s.spent
		}
	}
	if all == 0 {
		return fmt.Errorf("the profile has no samples; give the bridge more to do, with more -calls")
	}
	percent := func(d time.Duration) string { return fmt.Sprintf("%.1f %%", 100*d.Seconds()/all.Seconds()) }
	t := new(table)
	t.head("part", "CPU")
	for _, name := range slices.SortedFunc(maps.Keys(shares), func(a, b string) int {
		return cmp.Or(cmp.Compare(shares[b], shares[a]), cmp.Compare(a, b))
	}) {
		t.row(name, percent(shares[name]))
	}
	fmt.Fprintf(t, "\nOf all, %s are system calls and %s allocations; samples of %s.\n\n", percent(syscalls), percent(allocations), all)
	_, err := t.WriteTo(out)
	return err
}
