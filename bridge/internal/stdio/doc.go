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
// Config.MaxRunning requests run at once. More are admitted and wait, so that a cancellation behind them is still read,
// up to Config.MaxPending together; then reading stops until one ends, which is all the back-pressure that a pipe has. A
// line over Config.MaxLine is answered with an error and skipped without being kept. A client that leaves an answer
// unread for Config.WriteTimeout is given up.
//
// # Ends
//
// When the input ends, calls in flight get Config.Grace to finish (so that requests piped from a file are answered),
// are cancelled, and Serve returns within a second. When the context ends, the grace is left out.
package stdio
