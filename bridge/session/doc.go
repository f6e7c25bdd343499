// Package session keeps what a legacy MCP session must remember between HTTP
// requests: who opened it, which version was agreed, whether the handshake is
// over, what its client wants to be told of ([Store]); what was sent on its
// streams, for a client that comes back for the rest ([Journal]); and what its
// client has been asked, until the answer is there ([Mailbox]). The modern era
// has no sessions, and a stdio stream keeps its own state.
//
// These three are the seam: [Memory], [MemoryJournal] and [MemoryMailbox] fit one
// replica; shared ones let any replica serve any session. A session id names a session and
// authenticates nobody: whoever looks a session up compares [Record.Principal]
// with the caller.
package session
