package main

import (
	"testing"
	"time"
)

// TestSpread has the middle of an even and of an odd number of values.
func TestSpread(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values []float64
		want   spread
	}{
		{[]float64{3}, spread{3, 3, 3}},
		{[]float64{5, 1, 2}, spread{2, 1, 5}},
		{[]float64{4, 1, 2, 10}, spread{3, 1, 10}},
	} {
		if got := spreadOf(c.values); got != c.want {
			t.Errorf("spread %+v, want %+v", got, c.want)
		}
	}
}

// TestRatio pairs the outcomes of the same round.
func TestRatio(t *testing.T) {
	t.Parallel()
	at, base := cell{bridge, "small", 16}, cell{directGRPC, "small", 16}
	s := series{
		at:   {{Calls: 10, CPU: 100}, {Calls: 10, CPU: 400}, {Calls: 20, CPU: 400}},
		base: {{Calls: 10, CPU: 50}, {Calls: 10, CPU: 100}, {Calls: 10, CPU: 200}},
	}
	if got, want := s.ratio(at, directGRPC, cpu), (spread{2, 1, 4}); got != want {
		t.Errorf("ratio %+v, want %+v", got, want)
	}
}

// TestVerdict has both directions and the limits themselves.
func TestVerdict(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value, limit float64
		more         bool
		want         string
	}{
		{.5, .5, true, "reached"},
		{.49, .5, true, "**missed**"},
		{2, 2, false, "reached"},
		{2.01, 2, false, "**missed**"},
	} {
		if got := verdict(c.value, c.limit, c.more); got != c.want {
			t.Errorf("%v against %v: %s, want %s", c.value, c.limit, got, c.want)
		}
	}
}

// TestGoals has a limit for each size.
func TestGoals(t *testing.T) {
	t.Parallel()
	for _, g := range goals {
		if len(g.limits) != len(sizes) {
			t.Errorf("%s of %s has %d limits for %d sizes", g.metric.name, g.against, len(g.limits), len(sizes))
		}
	}
}

// TestText writes values as the tables have them.
func TestText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ got, want string }{
		{duration(float64(250 * time.Nanosecond)), "0.250 µs"},
		{duration(float64(12345 * time.Nanosecond)), "12.3 µs"},
		{duration(float64(1752 * time.Millisecond)), "1752 ms"},
		{megabytes(43_400_000), "43.4 MB"},
		{throughput.text(1234.5), "1234/s"},
		{digits(0), "0"},
		{digits(0.0456), "0.046"},
		{digits(0.478), "0.478"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
