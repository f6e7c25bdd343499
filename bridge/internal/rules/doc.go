// Package rules holds requests against the rules of buf.validate that their descriptors carry, before a backend is called,
// so that a model learns of all that is wrong at once and the backend is spared.
package rules
