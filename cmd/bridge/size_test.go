package main

import (
	"testing"

	"pgregory.net/rapid"
)

func TestSize(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want size
	}{
		{"1", 1},
		{"1B", 1},
		{"1000", 1000},
		{"1024", 1024},
		{"4MiB", 4 << 20},
		{"4 mib", 4 << 20},
		{"4194304", 4 << 20},
		{"1GiB", 1 << 30},
		{"512KiB", 512 << 10},
		{"2MB", 2e6},
		{"2kb", 2000},
		{" 7B ", 7},
	} {
		var s size
		if err := s.Set(tt.text); err != nil || s != tt.want {
			t.Errorf("%q: %d, %v; want %d", tt.text, s, err, tt.want)
		}
	}
	for _, bad := range []string{"", "B", "MiB", "-1", "0", "0MiB", "1.5MiB", "1TiB", "1e3", "9223372036854775807GiB", "2GiB"} {
		s := size(7)
		if err := s.Set(bad); err == nil || s != 7 {
			t.Errorf("%q: accepted as %d", bad, s)
		}
	}
}

func TestSizeString(t *testing.T) {
	t.Parallel()
	for s, want := range map[size]string{0: "0", 1: "1", 1000: "1000", 1024: "1KiB", 4 << 20: "4MiB", 1 << 30: "1GiB", 1536: "1536"} {
		if got := s.String(); got != want {
			t.Errorf("%d is printed as %q, want %q", s, got, want)
		}
	}
}

// TestSizeRoundTrip: what a size is printed as, it is read from.
func TestSizeRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := size(rapid.OneOf(rapid.Int64Range(1, 1<<31-1),
			rapid.Map(rapid.Int64Range(1, 1<<11-1), func(n int64) int64 { return n << 20 })).Draw(t, "size"))
		var back size
		if err := back.Set(s.String()); err != nil || back != s {
			t.Errorf("%d is printed as %q and read as %d, %v", s, s.String(), back, err)
		}
	})
}
