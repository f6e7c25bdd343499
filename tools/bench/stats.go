package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

// metric is one of the things that are measured of a cell.
type metric struct {
	name string
	of   func(outcome) float64
	// text writes a value with its unit.
	text func(float64) string
	// more tells whether more is better.
	more bool
}

// The metrics, in the order of the tables. CPU is that of the measured process alone, for each call.
var (
	throughput = metric{
		"throughput",
		func(o outcome) float64 { return float64(o.Calls) / o.Took.Seconds() },
		func(v float64) string { return fmt.Sprintf("%.0f/s", v) },
		true,
	}
	p50 = metric{"p50", func(o outcome) float64 { return float64(o.P50) }, duration, false}
	p99 = metric{"p99", func(o outcome) float64 { return float64(o.P99) }, duration, false}
	cpu = metric{"CPU per call", func(o outcome) float64 { return float64(o.CPU) / float64(o.Calls) }, duration, false}
	rss = metric{"RSS", func(o outcome) float64 { return float64(o.RSS) }, megabytes, false}
)

var metrics = []metric{throughput, p50, p99, cpu, rss}

// duration writes nanoseconds with three digits.
func duration(ns float64) string {
	if ns < float64(time.Millisecond) {
		return digits(ns/float64(time.Microsecond)) + " µs"
	}
	return digits(ns/float64(time.Millisecond)) + " ms"
}

// megabytes writes bytes as millions of bytes.
func megabytes(bytes float64) string { return digits(bytes/1e6) + " MB" }

// digits writes a value above 0 with three significant digits, and all those before the point.
func digits(v float64) string {
	places := 0
	if v > 0 {
		places = max(0, 2-int(math.Floor(math.Log10(v))))
	}
	return fmt.Sprintf("%.*f", min(places, 3), v)
}

// spread is a median with the least and the greatest value.
type spread struct{ median, least, greatest float64 }

// spreadOf sorts values, of which there is at least one.
func spreadOf(values []float64) spread {
	slices.SortFunc(values, cmp.Compare[float64])
	middle := values[len(values)/2]
	if len(values)%2 == 0 {
		middle = (values[len(values)/2-1] + middle) / 2
	}
	return spread{middle, values[0], values[len(values)-1]}
}

// absolute is the spread of a metric in a cell.
func (s series) absolute(at cell, m metric) spread {
	var values []float64
	for _, o := range s[at] {
		values = append(values, m.of(o))
	}
	return spreadOf(values)
}

// ratio is the spread of a metric in a cell relative to the same cell of another target, each round by itself.
func (s series) ratio(at cell, against string, m metric) spread {
	base := s[cell{against, at.size, at.clients}]
	var values []float64
	for i, o := range s[at] {
		values = append(values, m.of(o)/m.of(base[i]))
	}
	return spreadOf(values)
}

// String writes a ratio with its spread.
func (s spread) String() string {
	return fmt.Sprintf("%s (%s–%s)", digits(s.median), digits(s.least), digits(s.greatest))
}
