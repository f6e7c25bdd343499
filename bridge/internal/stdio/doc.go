// Package stdio serves one MCP client over newline-delimited JSON-RPC: one message a line in, one message a line out,
// nothing else on the way out (MCP, Transports, stdio).
//
// # Order
//
// Lines are decoded and admitted one after the other, in the order of their arrival: notifications and the handshake
// take effect before the next line is looked at, and a request is cancellable before the line behind it is read. Admitted
// requests then run concurrently; their answers are written as they come, each in one write.
//
// # Bounds
//
// Config.MaxRunning calls run at once. More are admitted and wait, up to Config.MaxPending together; what comes then is
// refused (-32600), and was not carried out. Reading does not stop for want of room, since the cancellation that makes
// room would wait in the pipe behind the call that wants it. What is answered from what is at hand (ping, initialize,
// server/discover, tools/list) neither waits for calls nor counts among them.
//
// Reading stops while the client does not read: errors, or as many as Config.MaxPending of the answers from what is at
// hand. A client that leaves an answer unread for Config.WriteTimeout is given up. A line over Config.MaxLine is answered
// with an error and skipped without being kept.
//
// # Ends
//
// When the input ends, calls in flight get Config.Grace to finish (so that requests piped from a file are answered),
// are cancelled, and Serve returns within a second. When the context ends, the grace is left out.
package stdio
