// Package session keeps what a legacy MCP session must remember between HTTP
// requests: who opened it, which version was agreed, whether the handshake is
// over. The modern era has no sessions, and a stdio stream keeps its own state.
//
// [Store] is the seam: [Memory] fits one replica; a shared store lets any
// replica serve any session. A session id names a session and authenticates
// nobody: whoever looks a session up compares [Record.Principal] with the caller.
package session
