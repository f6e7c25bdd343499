package transcode

import (
	"math"
	"strconv"
)

// shortScale is the power of ten by which appendShort makes an integer of a number.
const shortScale = 10_000

// appendShort writes a number that has up to four decimals and 15 digits in all, as prices do, if n is one, without looking for
// the shortest number that reads back as n: such a one that is read as n is the shortest, as no two of up to 15 digits are read
// as the same. Zero, which may be negative, it leaves to others.
func appendShort(out []byte, n float64) (short []byte, ok bool) {
	abs := math.Abs(n)
	if !(abs < 1e11) { // which NaN is not
		return out, false
	}
	scaled := uint64(abs*shortScale + .5)
	if scaled == 0 || float64(scaled)/shortScale != abs {
		return out, false
	}
	if n < 0 {
		out = append(out, '-')
	}
	out = strconv.AppendUint(out, scaled/shortScale, 10)
	rest := scaled % shortScale
	if rest > 0 {
		out = append(out, '.')
	}
	for ; rest > 0; rest = rest * 10 % shortScale {
		out = append(out, byte('0'+rest*10/shortScale))
	}
	return out, true
}

// readShort reads a JSON number without an exponent and of up to 15 digits: it is the quotient of two integers that a double
// holds as they are, which is rounded once, as it has to be. Zero, which may be negative, it leaves to others.
func readShort(number []byte) (n float64, ok bool) {
	negative := number[0] == '-'
	if negative {
		number = number[1:]
	}
	if len(number) > len(powers) {
		return 0, false
	}
	digits, power := uint64(0), 1.
	for i, c := range number {
		switch {
		case c == '.':
			power = powers[len(number)-i-1]
		case c > '9':
			return 0, false
		default:
			digits = digits*10 + uint64(c-'0')
		}
	}
	if n = float64(digits) / power; negative {
		n = -n
	}
	return n, digits > 0
}

// powers are those of ten.
var powers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14}
