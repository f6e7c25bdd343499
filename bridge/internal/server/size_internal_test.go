package server

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// TestMeasure: what is counted is what is written, whatever the texts and the
// revision, and the commas.
func TestMeasure(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	text := func() string {
		var b strings.Builder
		for range random.IntN(40) {
			b.WriteString([]string{"a", `"`, `\`, "\n", "\x01", "\x7f", "é", "\u2028", "\xff", "\xed\xa0\x80", "😀", "</"}[random.IntN(12)])
		}
		return b.String()
	}
	contents := func() mcp.ResourceContents {
		return mcp.ResourceContents{URI: "a:" + text(), MimeType: text(), Text: text()}
	}
	for range 2000 {
		f := lifecycle.AllFeatures()[random.IntN(len(lifecycle.AllFeatures()))]
		held := []mcp.ResourceContents{contents(), {URI: "a:b", Blob: []byte(text()), Binary: true}}
		blocks := []mcp.Content{
			{Text: text(), Annotations: mcp.Annotations{Audience: []string{mcp.RoleUser}, Priority: new(0.5), LastModified: "2026-01-01T00:00:00Z"}},
			{Kind: mcp.ContentImage, Data: []byte(text()), MimeType: text()},
			{Kind: mcp.ContentAudio, Data: []byte(text()), MimeType: text()},
			{Kind: mcp.ContentResource, Resource: held[0]},
			{Kind: mcp.ContentResource, Resource: held[1]},
			{Kind: mcp.ContentResourceLink, Link: mcp.Resource{URI: "a:b", Name: text(), Title: text(), Description: text()}},
		}
		counted := [3]measure{}
		for i := range counted {
			counted[i] = measure{features: f, limit: math.MaxInt}
		}
		counted[0].blocks(blocks)
		counted[1].contents(held)
		var messages []mcp.PromptMessage
		var written [3]int
		for i := range blocks {
			written[0] += len(blocks[i].AppendJSON(nil, f)) + 1
			messages = append(messages, mcp.PromptMessage{Role: mcp.RoleAssistant, Content: blocks[i]})
		}
		for i := range held {
			written[1] += len(held[i].AppendJSON(nil, f)) + 1
		}
		counted[2].messages(messages)
		whole, none := mcp.GetPromptResult{Messages: messages}, mcp.GetPromptResult{}
		written[2] = len(whole.AppendJSON(nil, f)) - len(none.AppendJSON(nil, f)) + 1
		for i, m := range counted {
			if m.size != written[i] {
				t.Fatalf("%d: %d bytes are counted, %d written: %+v", i, m.size, written[i], blocks)
			}
		}
	}
}

// TestMeasureStops: it is over by the first byte too many, and costs no memory
// for what is too long.
func TestMeasureStops(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("\x01", 4<<20)
	for name, c := range map[string]mcp.Content{
		"text":        {Text: long},
		"picture":     {Kind: mcp.ContentImage, Data: []byte(long)},
		"resource":    {Kind: mcp.ContentResource, Resource: mcp.ResourceContents{Text: long}},
		"bytes":       {Kind: mcp.ContentResource, Resource: mcp.ResourceContents{Blob: []byte(long), Binary: true}},
		"description": {Kind: mcp.ContentResourceLink, Link: mcp.Resource{URI: "a:b", Description: long}},
		"name":        {Kind: mcp.ContentResourceLink, Link: mcp.Resource{URI: "a:b", Name: long}},
	} {
		m := measure{features: lifecycle.AllFeatures()[0], limit: 1 << 20}
		m.blocks([]mcp.Content{{Text: "a"}, c, c})
		if !m.over() || !errors.Is(m.err(nil), transcode.ErrTooLarge) || cap(m.scratch) > 1<<10 {
			t.Errorf("%s: %d bytes counted, %d bytes of memory", name, m.size, cap(m.scratch))
		}
	}
	exact := measure{features: lifecycle.AllFeatures()[0], limit: math.MaxInt}
	exact.blocks([]mcp.Content{{Text: "hello"}})
	for limit, want := range map[int]bool{exact.size: false, exact.size - 1: true} {
		m := measure{features: exact.features, limit: limit}
		if m.blocks([]mcp.Content{{Text: "hello"}}); m.over() != want {
			t.Errorf("limit %d of %d bytes: over %v", limit, exact.size, m.over())
		}
	}
}
