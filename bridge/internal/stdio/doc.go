// Package stdio serves one MCP client over newline-delimited JSON-RPC: one message a line in, one message a line out,
// nothing else on the way out (MCP, Transports, stdio).
//
// # Order
//
// Lines are decoded and admitted one after the other, in the order of their arrival: notifications and the handshake
// take effect before the next line is looked at, and a request is cancellable before the line behind it is read. Admitted
// requests then run concurrently; their answers are written as they come, each in one write. What changes the session at no
// cost (logging/setLevel, resources/subscribe and unsubscribe) is over before the next line is looked at, too.
//
// What the server says beside answers is a line like any other: before the answer of the call that it belongs to, or, for
// changes that belong to no call, whenever they come (server.Server.Listen, for the life of the stream). That is so of the
// questions that a call asks its client (lifecycle.Conn.Ask), too; their answers take effect before the next line is looked
// at, like notifications, however many calls there are.
//
// In revision 2025-03-26 a line may be an array of messages. They are admitted in their order and run concurrently; their
// answers go out together, on one line, with the last of them. initialize and subscriptions/listen cannot be in one.
//
// # Bounds
//
// Config.MaxRunning calls run at once. More are admitted and wait, up to Config.MaxPending together; what comes then is
// refused (-32600), and was not carried out. Reading does not stop for want of room, since the cancellation that makes
// room would wait in the pipe behind the call that wants it. What is answered from what is at hand (ping, initialize,
// server/discover, the lists, completion/complete) neither waits for calls nor counts among them. Nor does
// subscriptions/listen, which lasts: of it Config.MaxStreams are open at once, and more are refused.
//
// No further line is looked at while the client does not read: errors, or as many as Config.MaxPending of the answers from
// what is at hand. Lines are read ahead meanwhile, 1 MiB at once and more in small portions, up to 48 MiB, since the end of
// the input is behind them. A client that leaves an answer unread for Config.WriteTimeout is given up. A line over
// Config.MaxLine is answered with an error and skipped without being kept.
//
// # Ends
//
// When the input ends, what was read before is served. Calls in flight get Config.Grace to finish (so that requests piped
// from a file are answered), are cancelled and answered with an error that says so, and Serve returns within a second; what listens
// is not waited for. A client that leaves an answer unread for 300 ms then is given up (ErrBlocked) with the lines that are left. When
// the context ends, no further line is served, and the rest is the same, except that it is the server that leaves: each
// subscriptions/listen has its result and then notifications/cancelled
// (2026-07-28 basic/patterns/cancellation). That holds as well where the server ends such a stream by itself.
package stdio
