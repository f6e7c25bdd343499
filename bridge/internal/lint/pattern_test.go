package lint_test

import (
	"encoding/json"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/lint"
	"github.com/mcpgrpc/bridge/bridge/internal/schema"
)

// TestPatterns: the verdicts are those of V8 (new RegExp(pattern, "u"), Node 20), but for what is stricter on purpose.
func TestPatterns(t *testing.T) {
	t.Parallel()
	for pattern, sound := range map[string]bool{
		`^[a-z]+$`: true, ``: true, `a|b`: true, `|`: true, `(?:a(b)c)*`: true, `^$`: true, `x{2,3}?`: true, `a{0}`: true, `a{2,}`: true,
		`[^\d\-\]]`: true, `[-a]`: true, `[a-]`: true, `[]`: true, `[^]`: true, `\u{1F600}`: true, `\x41\u0041\cA\0`: true, `[\b]`: true,
		`(?=a)b`: true, `(?<!a)b`: true, `(?<year>\d{4})`: true, `(a)\1`: true, `\p{L}`: true, `\P{Lu}`: true, `\p{Script=Greek}`: true,
		`\/\.\*`: true, `é+`: true, `[а-я]`: true, `[[a]`: true, `\bx\B`: true, `[\d-\x7f]`: false, `[\t-\r]`: true,

		`(?i)x`: false, `(?P<n>x)`: false, `(?i:x)`: false, `\pL`: false, `\p{Foo}`: false, `[[:alpha:]]`: false, `\-`: false, `\A`: false,
		`\z`:    false,
		`\Q.\E`: false, `\_`: false, `a**`: false, `a++`: false, `*`: false, `+a`: false, `^*`: false, `(?=a)*`: false, `\b+`: false, `a{`: false,
		`{`: false, `}`: false, `]`: false, `(`: false, `)`: false, `[`: false, `[a`: false, `[z-a]`: false, `[\w-z]`: false, `a{3,2}`: false,
		`\`: false, `[\`: false, `\u{110000}`: false, `\u12`: false, `\x1`: false, `\1`: false, `(a)\2`: false, `\00`: false, `\c1`: false,
		`[\B]`: false, `(?<1>a)`: false, `(?<n`: false, `\k<n>`: false, `a{1,2`: false, `[a-\d]`: false, `\p`: false, `\p{`: false, `a|*`: false,
		`\x+1`: false, `a{+1}`: false, `[\` + "\u00e9]": false,
	} {
		t.Run(pattern, func(t *testing.T) {
			t.Parallel()
			s := subject(t, shelf, schema.Rich)
			s.Portable = false
			quoted, err := json.Marshal(pattern)
			if err != nil {
				t.Fatal(err)
			}
			argument(`{"type":"string","pattern":` + string(quoted) + `}`)(&s)
			found := lint.Errors(s)
			if sound != (len(found) == 0) || !sound && found[0].Rule != "pattern-refused" {
				t.Errorf("%s: found %+v", pattern, found)
			}
			for _, f := range found {
				t.Log(f.Reason)
			}
		})
	}
}
