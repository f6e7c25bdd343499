package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// size is a number of bytes as a flag: "4MiB", "512KiB", "2GB" or plain bytes.
type size int64

// units are the suffixes of a size, those that are suffixes of others last.
var units = []struct {
	name  string
	bytes int64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1},
}

// Set parses a size. Case does not matter, nor does a space before the unit.
func (s *size) Set(text string) error {
	number, factor := strings.TrimSpace(text), int64(1)
	for _, u := range units {
		if rest, ok := cutSuffixFold(number, u.name); ok {
			number, factor = strings.TrimSpace(rest), u.bytes
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n <= 0 {
		return errors.New("give a positive size such as 4MiB, 512KiB or 1000000")
	}
	if n > math.MaxInt32/factor {
		return errors.New("give at most 2047MiB, which is what gRPC can carry")
	}
	*s = size(n * factor)
	return nil
}

// String writes the size in the largest binary unit that divides it.
func (s *size) String() string {
	for _, u := range []int{2, 1, 0} {
		if n := int64(*s); n > 0 && n%units[u].bytes == 0 {
			return fmt.Sprintf("%d%s", n/units[u].bytes, units[u].name)
		}
	}
	return strconv.FormatInt(int64(*s), 10)
}

// Type names the kind of value in help texts.
func (s *size) Type() string { return "size" }

func cutSuffixFold(s, suffix string) (string, bool) {
	if cut := len(s) - len(suffix); cut >= 0 && strings.EqualFold(s[cut:], suffix) {
		return s[:cut], true
	}
	return s, false
}
