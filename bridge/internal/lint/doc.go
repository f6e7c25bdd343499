// Package lint says what is wrong with a tool for the clients, model providers and models that are to use it.
//
// An error is what some client or provider refuses, be it with all other tools of the list: such a tool is not offered. A
// warning is what only makes a tool worse. All functions are pure and may be called concurrently.
package lint
