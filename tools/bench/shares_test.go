package main

import (
	"bytes"
	"strings"
	"testing"
)

const traces = `File: bridge
Type: cpu
Duration: 5s, Total samples = 100ms (2.0%)
-----------+-------------------------------------------------------
      40ms   internal/runtime/syscall/linux.Syscall6
             syscall.write (inline)
             net.(*conn).Write
             net/http.(*conn).serve
-----------+-------------------------------------------------------
      30ms   runtime.mallocgc
             google.golang.org/protobuf/types/dynamicpb.NewMessage
             github.com/mcpgrpc/bridge/bridge/internal/transcode.(*Codec).AppendWire
             github.com/mcpgrpc/bridge/bridge/internal/server.(*Server).callTool
             net/http.(*conn).serve
-----------+-------------------------------------------------------
      20ms   runtime.scanobject
             runtime.gcDrain
             runtime.gcBgMarkWorker
-----------+-------------------------------------------------------
      10ms   runtime.findRunnable
             runtime.mcall
-----------+-------------------------------------------------------
`

// TestShares has a stack of each kind.
func TestShares(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := writeShares(&out, readStacks([]byte(traces))); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| net/http | 40.0 % |\n| bridge: transcode | 30.0 % |\n| garbage collector | 20.0 % |\n| scheduler and the rest | 10.0 % |\n",
		"Of all, 40.0 % are system calls and 30.0 % allocations; samples of 100ms.",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if err := writeShares(&out, nil); err == nil {
		t.Error("a profile without samples is taken")
	}
}
