// Package config turns a bridge.config.v1.Config, whoever filled it, into what package bridge takes: [Check] says all
// that is wrong with it, and [Dial] resolves its secrets, opens its connections and chooses its descriptor sources.
package config

import (
	"net"
	"strings"

	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// DefaultListen is the address that a bridge listens on when its configuration names none.
const DefaultListen = "127.0.0.1:8080"

// Fault is one thing that is wrong with a configuration.
type Fault struct {
	// Path names the field, such as "backends[0].deadline"; empty for the configuration as a whole.
	Path string
	// Message says what is wrong and what would be right.
	Message string
}

// String returns the path and the message.
func (f Fault) String() string {
	if f.Path == "" {
		return f.Message
	}
	return f.Path + ": " + f.Message
}

// Field returns the path without the indices of lists and the keys of maps, such as "backends.deadline".
func (f Fault) Field() string { return index.ReplaceAllString(f.Path, "") }

// Error is a configuration that does not hold. It has at least one fault.
type Error struct {
	// Faults are those of the rules in config.proto, then those of the rules that cannot be written there, both in the
	// order of the fields.
	Faults []Fault
}

// Error returns all faults on one line.
func (e *Error) Error() string {
	texts := make([]string, len(e.Faults))
	for i, f := range e.Faults {
		texts[i] = f.String()
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

// Exposed reports whether the address that a bridge is told to listen on can be reached from other hosts.
func Exposed(s *configv1.Server) bool {
	host, _, err := net.SplitHostPort(Listen(s))
	if err != nil {
		return true
	}
	ip := net.ParseIP(host)
	return host != "localhost" && !ip.IsLoopback()
}
