// Package search finds methods by what they are for: an index over the names, texts and arguments of tools, asked in plain
// language. It knows neither tools nor methods: documents go in, and the places of those that fit best come out.
package search
