package transcode

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestShort holds numbers that are written and read in the short way against strconv.
func TestShort(t *testing.T) {
	t.Parallel()
	for text, short := range map[string]bool{
		"12.5": true, "1": true, "-1": true, "0.1": true, "-0.0001": true, "99999999999.75": true, "12.3456": true, "100": true,
		"1000000": true, "0.3": true, "0": false, "-0": false, "0.00001": false, "12.34567": false, "100000000000": false,
		"0.30000000000000004": false, "1e300": false, "5e-324": false, "NaN": false, "Inf": false, "-Inf": false,
	} {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := appendShort([]byte("x"), n)
		if ok != short || ok && string(got) != "x"+text || !ok && string(got) != "x" {
			t.Errorf("%s: %s, %v", text, got, ok)
		}
	}
}

// TestShortProperty writes and reads random numbers, most of them decimals.
func TestShortProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.OneOf(rapid.Float64(), decimals(), neighbours()).Draw(t, "n")
		if got, ok := appendShort(nil, n); ok && string(got) != strconv.FormatFloat(n, 'f', -1, 64) {
			t.Errorf("%v is written as %s", n, got)
		}
		text := strconv.FormatFloat(n, 'f', rapid.IntRange(-1, 8).Draw(t, "decimals"), 64)
		if math.IsNaN(n) || math.IsInf(n, 0) {
			return
		}
		want, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := readShort([]byte(text))
		if ok && math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("%s is read as %v", text, got)
		}
		if digits := strings.Trim(text, "-"); len(digits) <= 15 && strings.Trim(digits, "0.") != "" && !ok {
			t.Errorf("%s is not read", text)
		}
	})
}

// decimals are numbers of few digits.
func decimals() *rapid.Generator[float64] {
	return rapid.Custom(func(t *rapid.T) float64 {
		whole := rapid.Int64Range(-1e15, 1e15).Draw(t, "whole")
		return float64(whole) / math.Pow10(rapid.IntRange(0, 9).Draw(t, "scale"))
	})
}

// neighbours are numbers next to such.
func neighbours() *rapid.Generator[float64] {
	return rapid.Custom(func(t *rapid.T) float64 {
		return math.Nextafter(decimals().Draw(t, "near"), rapid.Float64().Draw(t, "towards"))
	})
}
