// Package task keeps the calls that go on behind their answer: the tasks of the
// extension io.modelcontextprotocol/tasks. A [Store] runs each in a goroutine of
// its own, keeps what it came to until its time is over, and lets it wait for
// answers of its client. It knows nothing of gRPC: what runs is a function.
//
// A task is for the principal on whose behalf it was begun. For anybody else it
// does not exist, and neither does one whose time is over.
package task
