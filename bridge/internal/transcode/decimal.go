package transcode

import (
	"strconv"
	"strings"
)

// maxDigits is the length of the largest uint64.
const maxDigits = 20

// decimal rewrites a JSON number that is an integer, in whatever spelling ("12.0", "1e3", "100e-2", "-0"), as plain
// digits. It is exact, never goes through a float, and refuses in constant space what has far too many digits.
func decimal(number string) (digits string, ok bool) {
	sign := ""
	if rest, negative := strings.CutPrefix(number, "-"); negative {
		sign, number = "-", rest
	}
	mantissa, exponent := number, 0
	if i := strings.IndexAny(number, "eE"); i >= 0 {
		n, err := strconv.ParseInt(number[i+1:], 10, 32)
		mantissa, exponent = number[:i], int(n)
		if err != nil {
			exponent = 1 << 30 // beyond all digits, unless the mantissa is zero
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	whole, fraction = strings.TrimLeft(whole, "0"), strings.TrimRight(fraction, "0")
	if whole == "" && fraction == "" {
		return "0", true
	}
	if exponent < 0 {
		kept := max(len(whole)+exponent, 0)
		if fraction != "" || strings.Trim(whole[kept:], "0") != "" || kept == 0 {
			return "", false
		}
		return sign + whole[:kept], true
	}
	if len(fraction) > exponent || len(whole)+exponent > maxDigits {
		return "", false
	}
	return sign + whole + fraction + strings.Repeat("0", exponent-len(fraction)), true
}
