// Package uritemplate reads the URI templates of RFC 6570, levels 1 to 3, backwards: which URIs a template stands for, and
// what its variables are in one of them.
//
// RFC 6570 says how a template is expanded, and only remarks on the way back (section 1.4), so these rules are ours:
//
//   - A variable is at least one character long, except in `{?x}`, `{&x}` and `{;x}`, where its name says that it is there.
//     What is percent-encoded is decoded; characters that an expansion would have encoded may stand as they are.
//   - `{x}`, `{.x}`, `{/x}` and `{;x}` match anything but `/`, `?` and `#`, and but the separator where the expression has
//     several variables. `{+x}` and `{#x}` match anything.
//   - `{x}` and `{+x}` must be there whole. All other expressions may be absent, and their variables then are too; of `{/x,y}`,
//     `{.x,y}` and `{#x,y}` the last ones may be. The variables of `{?x,y}`, `{&x,y}` and `{;x,y}` may come in any order,
//     each once.
//   - From the left, each variable takes as little as lets the whole URI match.
//   - Where several templates match, the one with the most literal text is meant; see [Compare].
//
// A match takes time linear in the length of the URI, whatever the template. Nothing here keeps state.
package uritemplate
