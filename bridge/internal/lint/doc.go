// Package lint says what is wrong with a tool for the clients, model providers and models that are to use it.
//
// An error is what some client or provider refuses, be it with all other tools of the list: such a tool is not offered. A
// warning is what only makes a tool worse. All functions are pure and may be called concurrently.
//
// A schema is held against what the profile allows and what clients are known to do with it (docs/lint.md has the rules one by
// one), not against a meta-schema; what passes is valid under draft-07 and 2020-12 all the same.
package lint
