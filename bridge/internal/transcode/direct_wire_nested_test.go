package transcode_test

import (
	"strings"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// inAnys puts the JSON of a string into so many Anys in each other, with their types last.
func inAnys(n int, text string) string {
	return `{"any":` + strings.Repeat(`{"value":`, n) + `{"value":"` + text + `","@type":"x/google.protobuf.StringValue"}` +
		strings.Repeat(`,"@type":"x/google.protobuf.Any"}`, n) + `}`
}

// What Anys in each other add up to is bounded, by the same number on both paths.
func TestAnysInEachOther(t *testing.T) {
	t.Parallel()
	md, types := everything(t)
	c := compile(t, md, types, transcode.Options{})
	large := strings.Repeat("x", 300_000)
	for name, test := range map[string]struct {
		arguments string
		valid     bool
	}{
		"small and deep":  {inAnys(90, "x"), true},
		"large":           {inAnys(10, large), true},
		"large and deep":  {inAnys(11, large), false},
		"large and wrong": {strings.Replace(inAnys(90, large), `,"@type"`, `,"@type":1,"@type"`, 1), false},
		"side by side":    {`{"children":[` + many(inAnys(0, strings.Repeat("x", 30_000)), 30) + `]}`, true},
		"empty":           {`{"children":[` + many(`{"any":{ }}`, 100) + `]}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if direct, valid := bothWays(t, c, md, types, test.arguments); direct != test.valid || valid != test.valid {
				t.Errorf("taken by the direct path %v, by the reference %v, want %v", direct, valid, test.valid)
			}
			if test.valid || strings.Contains(name, "wrong") {
				return
			}
			fault := refused(t, c, test.arguments)
			if !strings.Contains(fault.Reason, "bytes of google.protobuf.Any") || fault.Hint == "" {
				t.Errorf("fault %q", fault.Error())
			}
		})
	}
}

// The strings before the type of an Any are passed over without being read, and read later.
func TestAnyWithItsTypeLast(t *testing.T) {
	t.Parallel()
	md, types := everything(t)
	c := compile(t, md, types, transcode.Options{})
	for text, want := range map[string]bool{
		`a`: true, `\"`: true, `\\`: true, `\\\"`: true, `\\\\`: true, `\"}`: true, `\u0041`: true, `\ud83d\ude00`: true, `é`: true,
		`\`: false, `\\\`: false, `"`: false, `\\"`: false, `\q`: false, `\ud800`: false, "\n": false, "\xff": false, `","x":"`: false,
	} {
		if direct, valid := bothWays(t, c, md, types, inAnys(2, text)); direct != want || valid != want {
			t.Errorf("%q: taken by the direct path %v, by the reference %v, want %v", text, direct, valid, want)
		}
	}
}
