//go:build race

package bridge_test

// raceEnabled reports whether the race detector runs, with which a call takes many times as long.
const raceEnabled = true
