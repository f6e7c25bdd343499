//go:build race

package transcode_test

// raceEnabled reports whether the race detector runs, with which pools forget what they are given.
const raceEnabled = true
