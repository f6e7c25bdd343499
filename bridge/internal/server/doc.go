// Package server answers: it holds the one table of methods, turns each
// admitted request into a result or an error, and sorts errors, once, into
// those for the client's program (JSON-RPC errors) and those for its model
// (results with isError).
//
// A transport decodes a message, has it admitted in the order of arrival
// ([Server.Admit]) and runs the admitted [Call] where it likes; what comes out
// is one buffer to be written. The server knows neither HTTP nor stdio, and it
// leaves eras to package lifecycle: a method of the table says in which of the
// two it exists, and results are written for the peer's features.
//
// Nothing is sent from here to a client unasked: each request has one reply, and
// a notification none.
package server
