//go:build race

package backend

// poisons says that what is given back is overwritten, so that who still reads it is found: wherever the race detector is.
const poisons = true
