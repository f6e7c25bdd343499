package interaction_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/interaction"
)

// TestDigest: the digest is that of the value, not of its spelling.
func TestDigest(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		a, b string
		same bool
	}{
		"spelling":            {`{"a":1,"b":[true,"é"]}`, ` { "b" : [ true , "\u00e9" ] , "a" : 1.0 } `, true},
		"order of elements":   {`{"b":[true,"é"]}`, `{"b":["é",true]}`, false},
		"none":                {``, `{}`, true},
		"large integers":      {`{"id":9007199254740993}`, `{"id":9007199254740992}`, false},
		"long fractions":      {`{"n":0.1}`, `{"n":0.1000000000000000055}`, false},
		"beyond doubles":      {`{"n":1e400}`, `{"n":1e401}`, false},
		"below doubles":       {`{"n":1e-400}`, `{"n":0}`, false},
		"an exponent":         {`{"n":1.5e3}`, `{"n":1500}`, true},
		"zeros":               {`{"n":-1.50}`, `{"n":-15E-01}`, true},
		"zero":                {`{"n":0}`, `{"n":0.00e+7}`, true},
		"its sign":            {`{"n":0}`, `{"n":-0}`, false},
		"a number as a text":  {`{"n":1.0}`, `{"n":"1.0"}`, false},
		"texts of numbers":    {`{"n":"1.0"}`, `{"n":"1"}`, false},
		"a text with a quote": {`{"n":"\" 1.0"}`, `{"n":"\" 1"}`, false},
		"names of numbers":    {`{"1.0":1}`, `{"1":1}`, false},
		"a long exponent":     {`{"n":1e99999999999999999999}`, `{"n":1e99999999999999999998}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if same := interaction.Digest([]byte(c.a)) == interaction.Digest([]byte(c.b)); same != c.same {
				t.Errorf("%s and %s: the same digest %t", c.a, c.b, same)
			}
		})
	}
}

// TestDigestOfNumbers: two numbers at random have the same digest if and only if they are equal, as big.Rat has it.
func TestDigestOfNumbers(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	number := func() string {
		few := func() string { return fmt.Sprint(rng.IntN(3) * []int{1, 5, 10, 100}[rng.IntN(4)]) }
		text := strings.Repeat("-", rng.IntN(2)) + few()
		if rng.IntN(2) == 0 {
			text += "." + strings.Repeat("0", rng.IntN(3)) + few()
		}
		if rng.IntN(2) == 0 {
			text += []string{"e", "E", "e+", "e-"}[rng.IntN(4)] + strings.Repeat("0", rng.IntN(2)) + fmt.Sprint(rng.IntN(4))
		}
		return text
	}
	equal := 0
	for range 20_000 {
		a, b := number(), number()
		x, ok := new(big.Rat).SetString(a)
		y, good := new(big.Rat).SetString(b)
		if !ok || !good {
			t.Fatalf("%s and %s", a, b)
		}
		want := x.Cmp(y) == 0 && (x.Sign() != 0 || (a[0] == '-') == (b[0] == '-'))
		if got := interaction.Digest([]byte(`{"n":`+a+`}`)) == interaction.Digest([]byte(`{"n":`+b+`}`)); got != want {
			t.Fatalf("%s and %s: the same digest %t, want %t", a, b, got, want)
		}
		if want {
			equal++
		}
	}
	if equal < 100 {
		t.Errorf("only %d pairs were equal", equal)
	}
}
