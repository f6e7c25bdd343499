// Package config turns a bridge.config.v1.Config, whoever filled it, into what package bridge takes: [Read] fills one from a
// YAML file, [Check] says all that is wrong with it, and [Dial] resolves its secrets, opens its connections and chooses its
// descriptor sources. [Schema] describes the file to editors.
package config

import (
	"fmt"
	"net"
	"strings"

	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// DefaultListen and DefaultAdminListen are the addresses that a bridge and its admin server listen on when their configuration
// names none.
const (
	DefaultListen      = "127.0.0.1:8080"
	DefaultAdminListen = "127.0.0.1:8081"
)

// Fault is one thing that is wrong with a configuration.
type Fault struct {
	// Path names the field, such as "backends[0].deadline"; empty for the configuration as a whole.
	Path string
	// Message says what is wrong and what would be right.
	Message string
	// File is the name of the configuration file as it was given; empty for a configuration that is of none.
	File string
	// Line and Column, in characters, say where in File the fault stands, both from 1; 0 is unknown.
	Line, Column int
}

// String returns the place, as far as it is known, the path and the message, such as "bridge.yaml:12:7:
// backends[0].deadline: must be greater than 0s".
func (f Fault) String() string {
	text := f.Message
	if f.Path != "" {
		text = f.Path + ": " + text
	}
	switch {
	case f.File == "":
		return text
	case f.Line == 0:
		return fmt.Sprintf("%s: %s", f.File, text)
	case f.Column == 0:
		return fmt.Sprintf("%s:%d: %s", f.File, f.Line, text)
	}
	return fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Column, text)
}

// Field returns the path without the indices of lists and the keys of maps, such as "backends.deadline".
func (f Fault) Field() string { return index.ReplaceAllString(f.Path, "") }

// Error is a configuration that does not hold. It has at least one fault.
type Error struct {
	// Faults are, for a file, in the order of the places. For what is of no file they are those of the rules in config.proto,
	// then those of the rules that cannot be written there, both in the order of the fields. There are at most 101: the last
	// of so many says how many more there are, and has the place of the first of these.
	Faults []Fault
}

// Error returns all faults: those of a file each on a line of its own, others on one line.
func (e *Error) Error() string {
	texts := make([]string, len(e.Faults))
	for i, f := range e.Faults {
		texts[i] = f.String()
	}
	if len(e.Faults) > 0 && e.Faults[0].File != "" {
		return strings.Join(texts, "\n")
	}
	return "configuration: " + strings.Join(texts, "; ")
}

// Listen returns the address that a bridge is told to listen on.
func Listen(s *configv1.Server) string {
	if s.GetListen() == "" {
		return DefaultListen
	}
	return s.GetListen()
}

// AdminListen returns the address that an admin server is told to listen on.
func AdminListen(a *configv1.Admin) string {
	if a.GetListen() == "" {
		return DefaultAdminListen
	}
	return a.GetListen()
}

// Exposed reports whether the address that a bridge is told to listen on can be reached from other hosts.
func Exposed(s *configv1.Server) bool {
	host, _, err := net.SplitHostPort(Listen(s))
	if err != nil {
		return true
	}
	ip := net.ParseIP(host)
	return host != "localhost" && !ip.IsLoopback()
}
