// Package admin is the HTTP side of a bridge for its operator: whether the process lives, whether it is ready, which of its
// backends are there, and its metrics. It shows no data of calls and asks nobody who they are, so that it belongs on an address
// that clients do not reach.
package admin
