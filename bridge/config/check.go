package config

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"buf.build/go/protovalidate"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/resolver"

	"github.com/mcpgrpc/bridge/bridge/internal/streamable"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// Check reports all faults of a configuration at once, as an *[Error], and does not look at files, variables or the
// network. The rules are those of bridge/config/v1/config.proto and a few that cannot be written there.
func Check(c *configv1.Config) error {
	f, err := check(c)
	if err != nil {
		return err
	}
	if len(f.list) > 0 {
		return &Error{capped(f.list)}
	}
	return nil
}

// check finds all faults.
func check(c *configv1.Config) (*faults, error) {
	f, err := violations(c)
	if err != nil {
		return nil, fmt.Errorf("check the configuration: %w", err)
	}
	for i, b := range c.GetBackends() {
		f.backend(fmt.Sprintf("backends[%d]", i), b)
	}
	f.names(c.GetBackends())
	f.pins(c.GetBackends())
	f.server(c.GetServer())
	f.admin(c)
	f.otlp(c.GetTelemetry().GetOtlp())
	f.stateKeys(c.GetInteraction())
	f.tasks(c.GetTasks())
	return f, nil
}

// profileName is how package bridge calls a profile; "" where none is chosen.
func profileName(p configv1.Profile) string {
	if p == configv1.Profile_PROFILE_UNSPECIFIED {
		return ""
	}
	return strings.ToLower(strings.TrimPrefix(p.String(), "PROFILE_"))
}

// faults collects what is wrong with a configuration.
type faults struct {
	list  []Fault
	wrong map[string]bool   // the paths of the list, and of all that is around them
	huge  bool              // there is too much to look at the rest
	first map[string]string // the paths of what has been there before, by those of what is there a second time
}

func newFaults() *faults { return &faults{wrong: map[string]bool{}, first: map[string]string{}} }

// maxFaults is how many faults are told one by one.
const maxFaults = 100

// capped leaves out all but the first faults, and says how many these are and where they begin.
func capped(list []Fault) []Fault {
	if len(list) <= maxFaults {
		return list
	}
	next := list[maxFaults]
	rest := Fault{Message: fmt.Sprintf("and %d more", len(list)-maxFaults), Line: next.Line, Column: next.Column}
	return append(list[:maxFaults:maxFaults], rest)
}

// violations returns the faults that the rules of config.proto find.
func violations(c *configv1.Config) (*faults, error) {
	f := newFaults()
	var invalid *protovalidate.ValidationError
	if err := protovalidate.Validate(c); errors.As(err, &invalid) {
		for _, v := range invalid.Violations {
			if v.Proto.GetRuleId() == "config.backend_names" {
				continue // names says which
			}
			f.note(inWords(v))
		}
	} else if err != nil {
		return nil, err
	}
	return f, nil
}

// add notes a fault of a field of which nothing has been said yet: what a rule of config.proto refuses already is not
// refused a second time in other words.
func (f *faults) add(path, message string) {
	if !f.wrong[path] {
		f.note(Fault{Path: path, Message: message})
	}
}

func (f *faults) note(fault Fault) {
	f.list = append(f.list, fault)
	for path := fault.Path; path != "" && !f.wrong[path]; path = path[:max(strings.LastIndexAny(path, ".["), 0)] {
		f.wrong[path] = true
	}
}

func (f *faults) backend(path string, b *configv1.Backend) {
	if fault := targetFault(b.GetTarget()); fault != "" {
		f.add(path+".target", fault)
	}
	f.headers(path+".headers", b.GetHeaders())
	f.traceHeaders(path+".headers", b.GetHeaders())
	f.forwarded(path+".forward_headers", b)
	f.headers(path+".descriptors.reflection.headers", b.GetDescriptors().GetReflection().GetHeaders())
	f.files(path+".descriptors.files", b.GetDescriptors().GetFiles())
	f.files(path+".descriptors.overlay", b.GetDescriptors().GetOverlay())
	f.tools(path+".tools", b.GetTools())
	for i, label := range b.GetVisibility() {
		if strings.ContainsAny(label, ", ") {
			f.add(fmt.Sprintf("%s.visibility[%d]", path, i), fmt.Sprintf("%q %s", label, patterns["backends.visibility"]))
		}
	}
}

// methodName is the form of the full name of a method, toolName that of the names that clients and model providers take.
var (
	methodName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)+$`)
	toolName   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)
)

// tools refuses what is said of a tool that cannot be, and what no client would take. Whether there is such a method the
// descriptors have to tell.
func (f *faults) tools(path string, tools map[string]*bridgev1.Tool) {
	for _, method := range slices.Sorted(maps.Keys(tools)) {
		own, at := tools[method], fmt.Sprintf("%s[%q]", path, method)
		if !methodName.MatchString(method) {
			f.add(at, fmt.Sprintf("%q %s", method, patterns["backends.tools"]))
		}
		if name := own.GetName(); name != "" && !toolName.MatchString(name) {
			f.add(at+".name", fmt.Sprintf("%q %s", name, patterns["tools.name"]))
		}
		if text := own.GetInputSchema(); text != "" && json.Unmarshal([]byte(text), new(map[string]json.RawMessage)) != nil {
			f.add(at+".input_schema", `must be a JSON object, such as {"type": "object", "properties": {}}`)
		}
	}
}

// names refuses a second backend of one name.
func (f *faults) names(backends []*configv1.Backend) {
	taken := map[string]int{}
	for i, b := range backends {
		name := cmp.Or(b.GetName(), "default")
		first, ok := taken[name]
		if !ok {
			taken[name] = i
			continue
		}
		at := fmt.Sprintf("backends[%d].name", i)
		f.add(at, fmt.Sprintf("backends[%d] is called %s already: every backend needs a name of its own (one without is called \"default\")",
			first, strconv.Quote(name)))
		f.first[at] = fmt.Sprintf("backends[%d].name", first)
	}
}

// pins refuses a name that is given to the tools of two methods: which of them has it would depend on which of their backends is
// described first.
func (f *faults) pins(backends []*configv1.Backend) {
	taken := map[string]string{}
	for i, b := range backends {
		for _, method := range slices.Sorted(maps.Keys(b.GetTools())) {
			name := b.GetTools()[method].GetName()
			if name == "" {
				continue
			}
			if first, ok := taken[name]; ok {
				f.add(fmt.Sprintf("backends[%d].tools[%q].name", i, method),
					fmt.Sprintf("%q is the name that %s has been given already: give each tool a name of its own", name, first))
				continue
			}
			taken[name] = method
		}
	}
}

// targetFault says what is wrong with a target; "" for none, for a host with a port, and for a URI that gRPC resolves.
// Of the rest gRPC would say at the first call that it cannot be reached, which sounds as if the server were at fault.
func targetFault(target string) string {
	if u, err := url.Parse(target); target == "" || err == nil && resolver.Get(u.Scheme) != nil {
		return ""
	}
	if strings.Contains(target, "@") { // what stands before it may be a password
		return "has a user in it, which gRPC does not know; write host:port, such as localhost:50051"
	}
	if strings.Contains(target, "://") {
		return fmt.Sprintf("%q has a scheme that gRPC does not know; write host:port, such as localhost:50051", target)
	}
	host, port, err := net.SplitHostPort(target)
	switch n, notNumber := strconv.ParseUint(port, 10, 16); {
	case err != nil && strings.Contains(err.Error(), "missing port"):
		return fmt.Sprintf("%q has no port; write host:port, such as %s:50051", target, target)
	case err != nil:
		return fmt.Sprintf("%q is no address; write host:port, such as localhost:50051 or [::1]:50051", target)
	case notNumber != nil || n == 0:
		return fmt.Sprintf("%q has no port between 1 and 65535; write host:port, such as %s", target, net.JoinHostPort(host, "50051"))
	}
	return ""
}

// headers refuses what gRPC cannot send, as far as it is known before secrets are read.
func (f *faults) headers(path string, headers []*configv1.Header) {
	all := metadata.MD{}
	for i, h := range headers {
		all.Append(h.GetName(), h.GetLiteral())
		if err := sendable(metadata.Pairs(h.GetName(), h.GetLiteral())); err != nil {
			f.add(fmt.Sprintf("%s[%d]", path, i), err.Error())
		}
	}
	if err := sendable(all); err != nil {
		f.add(path, err.Error()) // unless it is one of them alone
	}
}

// traceHeaders refuses the headers of W3C Trace Context and W3C Baggage, which would be replaced by those of the call.
func (f *faults) traceHeaders(path string, headers []*configv1.Header) {
	for i, h := range headers {
		switch h.GetName() {
		case "traceparent", "tracestate", "baggage":
			f.add(fmt.Sprintf("%s[%d]", path, i),
				fmt.Sprintf("header %q: the bridge sets it, from the trace of each call: take it away", h.GetName()))
		}
	}
}

// files refuses to read a file as what it is not: a compiler's errors about a binary file help nobody.
func (f *faults) files(path string, files *configv1.Files) {
	if set := files.GetDescriptorSet(); strings.HasSuffix(set, ".proto") {
		f.add(path+".descriptor_set", fmt.Sprintf("%q is a .proto source; give it as protos", set))
	}
	for i, proto := range files.GetProtos() {
		if !strings.HasSuffix(proto, ".proto") {
			f.add(fmt.Sprintf("%s.protos[%d]", path, i), fmt.Sprintf("%q is no .proto source; give a descriptor set as descriptor_set", proto))
		}
	}
}

func (f *faults) server(s *configv1.Server) {
	if fault := listenFault(s); fault != "" {
		f.add("server.listen", fault)
	}
	for i, host := range s.GetAllowHosts() {
		if err := streamable.CheckHost(host); err != nil {
			f.add(fmt.Sprintf("server.allow_hosts[%d]", i), err.Error())
		}
	}
	for i, origin := range s.GetAllowOrigins() {
		if err := streamable.CheckOrigin(origin); err != nil {
			f.add(fmt.Sprintf("server.allow_origins[%d]", i), err.Error())
		}
	}
}

// listenFault refuses what cannot be listened on and, without the explicit word for it, what other hosts can reach.
func listenFault(s *configv1.Server) string {
	address := Listen(s)
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Sprintf("%q is no address; write host:port, such as %s", address, DefaultListen)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Sprintf("%q has no port between 0 and 65535", address)
	}
	if Exposed(s) && !s.GetInsecureNoAuth() {
		return address + " can be reached by other hosts, and nobody is asked who they are; " +
			"listen on 127.0.0.1, or set insecure_no_auth to accept that"
	}
	return ""
}
