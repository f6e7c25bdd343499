// Package config turns a bridge.config.v1.Config, whoever filled it, into what package bridge takes: [Check] says all
// that is wrong with it, and [Dial] resolves its secrets, opens its connections and chooses its descriptor sources.
package config

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"buf.build/go/protovalidate"

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

// Error is a configuration that does not hold. It has at least one fault.
type Error struct {
	// Faults are in the order of the fields.
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

// Check reports all faults of a configuration at once, as an *[Error], and does not look at files, variables or the
// network. The rules are those of bridge/config/v1/config.proto and a few that cannot be written there.
func Check(c *configv1.Config) error {
	var invalid *protovalidate.ValidationError
	var faults []Fault
	if err := protovalidate.Validate(c); errors.As(err, &invalid) {
		for _, v := range invalid.Violations {
			faults = append(faults, inWords(v))
		}
	} else if err != nil {
		return fmt.Errorf("check the configuration: %w", err)
	}
	for i, b := range c.GetBackends() {
		if t := b.GetTarget(); t != "" && !strings.Contains(t, ":") {
			faults = append(faults, Fault{
				fmt.Sprintf("backends[%d].target", i),
				fmt.Sprintf("%q has no port; write host:port, such as %s:50051", t, t),
			})
		}
	}
	if c.GetProfile() == configv1.Profile_PROFILE_RICH {
		faults = append(faults, Fault{"profile", "rich is not available; portable is"})
	}
	if len(faults) == 0 {
		faults = checkListen(c.GetServer())
	}
	if len(faults) > 0 {
		return &Error{faults}
	}
	return nil
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

// checkListen refuses what cannot be listened on and, without the explicit word for it, what other hosts can reach.
func checkListen(s *configv1.Server) []Fault {
	address := Listen(s)
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return []Fault{{"server.listen", fmt.Sprintf("%q is no address; write host:port, such as %s", address, DefaultListen)}}
	}
	if n, err := strconv.Atoi(port); err != nil || n > 65535 {
		return []Fault{{"server.listen", fmt.Sprintf("%q has no port between 0 and 65535", address)}}
	}
	if Exposed(s) && !s.GetInsecureNoAuth() {
		return []Fault{{"server.listen", fmt.Sprintf("%s can be reached by other hosts, and nobody is asked who they are; "+
			"listen on 127.0.0.1, or set insecure_no_auth to accept that", address)}}
	}
	return nil
}
