package config

import (
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// admin refuses an admin server that cannot listen, and one that would take the address of the other.
func (f *faults) admin(c *configv1.Config) {
	if c.GetAdmin() == nil {
		return
	}
	address := AdminListen(c.GetAdmin())
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		f.add("admin.listen", fmt.Sprintf("%q is no address; write host:port, such as %s", address, DefaultAdminListen))
		return
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		f.add("admin.listen", fmt.Sprintf("%q has no port between 0 and 65535", address))
		return
	}
	otherHost, otherPort, err := net.SplitHostPort(Listen(c.GetServer()))
	if err == nil && port == otherPort && strings.Trim(port, "0") != "" && overlap(host, otherHost) {
		f.add("admin.listen", fmt.Sprintf("%s is taken by server.listen, which is %s: choose another port", address, Listen(c.GetServer())))
	}
}

// overlap says whether listening on one host keeps others from listening on the other.
func overlap(a, b string) bool {
	all := func(host string) bool { return host == "" || net.ParseIP(host).IsUnspecified() }
	loopback := func(host string) string { return strings.Replace(host, "localhost", "127.0.0.1", 1) }
	return all(a) || all(b) || loopback(a) == loopback(b)
}

// otlp refuses what no telemetry could be sent to.
func (f *faults) otlp(o *configv1.Otlp) {
	if o == nil {
		return
	}
	f.headers("telemetry.otlp.headers", o.GetHeaders())
	u, err := url.Parse(o.GetEndpoint())
	switch {
	case err != nil || u.Host == "":
		f.add("telemetry.otlp.endpoint", patterns["otlp.endpoint"])
	case u.User != nil:
		f.add("telemetry.otlp.endpoint", "must not have a user and a password in it: send them as one of the headers")
	case u.RawQuery != "" || u.Fragment != "":
		f.add("telemetry.otlp.endpoint", "has a part behind the path, which is not sent: take it away")
	}
}
