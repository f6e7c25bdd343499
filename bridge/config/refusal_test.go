package config_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/mcpgrpc/bridge/bridge/config"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// refusal is an edit that makes a valid configuration invalid, and the one fault that it then has.
type refusal struct {
	name string
	edit func(*configv1.Config)
	want string
}

func refuses(t *testing.T, refusals []refusal) {
	t.Helper()
	t.Parallel()
	for _, tt := range refusals {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := valid()
			tt.edit(c)
			var invalid *config.Error
			if err := config.Check(c); !errors.As(err, &invalid) {
				t.Fatalf("error %v", err)
			}
			var got []string
			for _, f := range invalid.Faults {
				got = append(got, f.String())
			}
			if diff := cmp.Diff([]string{tt.want}, got); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

func backend(edit func(*configv1.Backend)) func(*configv1.Config) {
	return func(c *configv1.Config) { edit(c.GetBackends()[0]) }
}

func target(target string) func(*configv1.Config) {
	return backend(func(b *configv1.Backend) { b.Target = target })
}

// TestCheckRefusesOneNameTwice: in one backend or in two.
func TestCheckRefusesOneNameTwice(t *testing.T) {
	const want = `"same" is the name that a.A.B has been given already: give each tool a name of its own`
	refuses(t, []refusal{
		{"one backend", backend(func(b *configv1.Backend) {
			b.Tools = map[string]*bridgev1.Tool{"a.A.B": {Name: "same"}, "a.A.C": {Name: "same"}, "a.A.D": {}, "a.A.E": {}}
		}), `backends[0].tools["a.A.C"].name: ` + want},
		{"two backends", func(c *configv1.Config) {
			c.Backends[0].Tools = map[string]*bridgev1.Tool{"a.A.B": {Name: "same"}}
			c.Backends = append(c.Backends,
				&configv1.Backend{Name: "other", Target: "other:1", Tools: map[string]*bridgev1.Tool{"b.B.C": {Name: "same"}}})
		}, `backends[1].tools["b.B.C"].name: ` + want},
	})
}

func TestCheckRefusesTargets(t *testing.T) {
	refuses(t, []refusal{
		{"none", target(""), "backends[0]: target is required when the descriptors come from reflection; set it, or descriptors.files"},
		{"no port", target("library"), `backends[0].target: "library" has no port; write host:port, such as library:50051`},
		{"no port after an address", target("[::1]"), `backends[0].target: "[::1]" has no port; write host:port, such as [::1]:50051`},
		{
			"empty port", target("library:"),
			`backends[0].target: "library:" has no port between 1 and 65535; write host:port, such as library:50051`,
		},
		{
			"port 0", target("library:0"),
			`backends[0].target: "library:0" has no port between 1 and 65535; write host:port, such as library:50051`,
		},
		{
			"port too large", target("library:65536"),
			`backends[0].target: "library:65536" has no port between 1 and 65535; write host:port, such as library:50051`,
		},
		{
			"port in words", target("library:grpc"),
			`backends[0].target: "library:grpc" has no port between 1 and 65535; write host:port, such as library:50051`,
		},
		{
			"no brackets", target("::1:50051"),
			`backends[0].target: "::1:50051" is no address; write host:port, such as localhost:50051 or [::1]:50051`,
		},
		{
			"URL", target("http://library:50051"),
			`backends[0].target: "http://library:50051" has a scheme that gRPC does not know; write host:port, such as localhost:50051`,
		},
		{
			"password", target("https://me:hunter2@library:50051"),
			"backends[0].target: has a user in it, which gRPC does not know; write host:port, such as localhost:50051",
		},
		{
			"no URI", target("dns:///%zz"),
			`backends[0].target: "dns:///%zz" has a scheme that gRPC does not know; write host:port, such as localhost:50051`,
		},
	})
}

func TestCheckRefusesBackends(t *testing.T) {
	refuses(t, []refusal{
		{"none", func(c *configv1.Config) { c.Backends = nil }, "backends: at least one is needed"},
		{
			"name", backend(func(b *configv1.Backend) { b.Name = "A b" }),
			`backends[0].name: "A b" must be a lower-case letter, then at most 62 of a-z, 0-9, "_" and "-"`,
		},
		{
			"same name", func(c *configv1.Config) {
				c.Backends = append(c.Backends, &configv1.Backend{Name: "default", Target: "x:1"})
			},
			`backends[1].name: backends[0] is called "default" already: every backend needs a name of its own (one without is called "default")`,
		},
		{"deadline", backend(func(b *configv1.Backend) { b.Deadline = durationpb.New(0) }), "backends[0].deadline: must be greater than 0s"},
		{
			"message size", backend(func(b *configv1.Backend) { b.MaxMessageBytes = -1 }),
			"backends[0].max_message_bytes: must be from 1 to 2147483647, or 0 for the default",
		},
		{
			"expose", backend(func(b *configv1.Backend) { b.Expose = []string{"ok.*", "a b"} }),
			`backends[0].expose[1]: "a b" must be a glob of full method names, such as library.v1.*`,
		},
		{
			"hide", backend(func(b *configv1.Backend) { b.Hide = []string{""} }),
			`backends[0].hide[0]: "" must be a glob of full method names, such as *.Delete*`,
		},
		{
			"half a key pair", backend(func(b *configv1.Backend) { b.Transport = &configv1.Backend_Tls{Tls: &configv1.Tls{CertFile: "x"}} }),
			"backends[0].tls: cert_file and key_file are set together or not at all",
		},
	})
}

func tool(method string, own *bridgev1.Tool) func(*configv1.Config) {
	return backend(func(b *configv1.Backend) { b.Tools = map[string]*bridgev1.Tool{method: own} })
}

func TestCheckRefusesTools(t *testing.T) {
	refuses(t, []refusal{
		{
			"no method", tool("GetBook", nil),
			`backends[0].tools["GetBook"]: "GetBook" must be the full name of a method, such as library.v1.LibraryService.GetBook`,
		},
		{
			"a pattern", tool("library.v1.*", nil),
			`backends[0].tools["library.v1.*"]: "library.v1.*" must be the full name of a method, such as library.v1.LibraryService.GetBook`,
		},
		{
			"name", tool("a.B.C", &bridgev1.Tool{Name: "get book"}),
			`backends[0].tools["a.B.C"].name: "get book" must be a letter or "_", then at most 63 of A-Z, a-z, 0-9, "_" and "-", such as get_book`,
		},
		{
			"input schema", tool("a.B.C", &bridgev1.Tool{InputSchema: "[]"}),
			`backends[0].tools["a.B.C"].input_schema: must be a JSON object, such as {"type": "object", "properties": {}}`,
		},
		{
			"empty label", backend(func(b *configv1.Backend) { b.Visibility = []string{"A", ""} }),
			"backends[0].visibility[1]: must not be empty",
		},
		{
			"two labels in one", backend(func(b *configv1.Backend) { b.Visibility = []string{"A,B"} }),
			`backends[0].visibility[0]: "A,B" must be one label, such as PREVIEW`,
		},
	})
}

// TestFieldOfMap: the name of a field has no keys in it, whatever these are.
func TestFieldOfMap(t *testing.T) {
	t.Parallel()
	fault := config.Fault{Path: `backends[0].tools["a.B[1].\"C"].name`}
	if got := fault.Field(); got != "backends.tools.name" {
		t.Errorf("field %q", got)
	}
}

func headers(list ...*configv1.Header) func(*configv1.Config) {
	return backend(func(b *configv1.Backend) { b.Headers = list })
}

func TestCheckRefusesHeaders(t *testing.T) {
	const foreign = "its value has a character outside printable ASCII, such as a line end; remove it or use a name that ends in -bin"
	long := make([]byte, 3000)
	for i := range long {
		long[i] = 'x'
	}
	refuses(t, []refusal{
		{
			"name", headers(literal("X Y", "v")),
			`backends[0].headers[0].name: "X Y" must have only a-z, 0-9, "-", "_" and ".", such as authorization`,
		},
		{"name of gRPC", headers(literal("grpc-timeout", "v")), `backends[0].headers[0]: names that start with "grpc-" belong to gRPC`},
		{
			"name of HTTP/2", headers(literal("a", "1"), literal("te", "1")),
			`backends[0].headers[1]: header "te": this name belongs to gRPC or HTTP/2; choose another`,
		},
		{
			"name of HTTP/2, value unread", headers(file("user-agent", "/nowhere")),
			`backends[0].headers[0]: header "user-agent": this name belongs to gRPC or HTTP/2; choose another`,
		},
		{
			"trace", headers(literal("traceparent", "v")),
			`backends[0].headers[0]: header "traceparent": the bridge sets it, from the trace of each call: take it away`,
		},
		{
			"state of the trace, value unread", headers(file("tracestate", "/nowhere")),
			`backends[0].headers[0]: header "tracestate": the bridge sets it, from the trace of each call: take it away`,
		},
		{
			"baggage", headers(literal("a", "1"), literal("baggage", "v")),
			`backends[0].headers[1]: header "baggage": the bridge sets it, from the trace of each call: take it away`,
		},
		{"injected header", headers(literal("x", "hunter2\r\nx-admin: yes")), `backends[0].headers[0]: header "x": ` + foreign},
		{"not ASCII", headers(literal("x", "hunter2ü")), `backends[0].headers[0]: header "x": ` + foreign},
		{
			"too much together", headers(literal("a", string(long)), literal("b", string(long)), literal("c", string(long))),
			"backends[0].headers: the headers take 9003 bytes together: shorten them to 8192",
		},
		{
			"of reflection", backend(func(b *configv1.Backend) {
				b.Descriptors = &configv1.Descriptors{Source: &configv1.Descriptors_Reflection{Reflection: &configv1.Reflection{
					Headers: []*configv1.Header{literal("te", "1")},
				}}}
			}),
			`backends[0].descriptors.reflection.headers[0]: header "te": this name belongs to gRPC or HTTP/2; choose another`,
		},
		{"no value", headers(&configv1.Header{Name: "x"}), "backends[0].headers[0].value: set literal or secret"},
		{
			"no secret", headers(&configv1.Header{Name: "x", Value: &configv1.Header_Secret{Secret: &configv1.Secret{}}}),
			"backends[0].headers[0].secret.source: set env or file",
		},
		{
			"variable", headers(env("x", "1")),
			`backends[0].headers[0].secret.env: must be the name of an environment variable, such as LIBRARY_TOKEN`,
		},
		{"file", headers(file("x", "")), "backends[0].headers[0].secret.file: must not be empty"},
	})
}

func TestCheckRefusesDescriptors(t *testing.T) {
	descriptors := func(d *configv1.Descriptors) func(*configv1.Config) {
		return backend(func(b *configv1.Backend) { b.Descriptors = d })
	}
	refuses(t, []refusal{
		{"no files", descriptors(fromFiles(&configv1.Files{})), "backends[0].descriptors.files: set either descriptor_set or protos"},
		{
			"overlay on files", descriptors(&configv1.Descriptors{
				Source: fromFiles(&configv1.Files{DescriptorSet: "x"}).GetSource(), Overlay: &configv1.Files{DescriptorSet: "y"},
			}),
			"backends[0].descriptors: overlay lays texts over reflection; with files, put everything into files",
		},
		{
			"source as a set", descriptors(fromFiles(&configv1.Files{DescriptorSet: "a.proto"})),
			`backends[0].descriptors.files.descriptor_set: "a.proto" is a .proto source; give it as protos`,
		},
		{
			"set as a source", descriptors(&configv1.Descriptors{Overlay: &configv1.Files{Protos: []string{"a.proto", "b.binpb"}}}),
			`backends[0].descriptors.overlay.protos[1]: "b.binpb" is no .proto source; give a descriptor set as descriptor_set`,
		},
		{
			"nameless source", descriptors(fromFiles(&configv1.Files{Protos: []string{""}})),
			"backends[0].descriptors.files.protos[0]: must not be empty",
		},
	})
}

func listen(address string) func(*configv1.Config) {
	return func(c *configv1.Config) { c.Server = &configv1.Server{Listen: address} }
}

func TestCheckRefusesServers(t *testing.T) {
	hosts := func(list ...string) func(*configv1.Config) {
		return func(c *configv1.Config) { c.Server = &configv1.Server{AllowHosts: list} }
	}
	origins := func(list ...string) func(*configv1.Config) {
		return func(c *configv1.Config) { c.Server = &configv1.Server{AllowOrigins: list} }
	}
	refuses(t, []refusal{
		{"no host and no port", listen("8080"), `server.listen: "8080" must be host:port, such as 127.0.0.1:8080`},
		{"no port", listen("127.0.0.1"), `server.listen: "127.0.0.1" must be host:port, such as 127.0.0.1:8080`},
		{"port too large", listen("localhost:70000"), `server.listen: "localhost:70000" has no port between 0 and 65535`},
		{"no brackets", listen("::1:80"), `server.listen: "::1:80" is no address; write host:port, such as 127.0.0.1:8080`},
		{
			"beyond loopback", listen("0.0.0.0:80"),
			"server.listen: 0.0.0.0:80 can be reached by other hosts, and nobody is asked who they are; " +
				"listen on 127.0.0.1, or set insecure_no_auth to accept that",
		},
		{"empty host", hosts(""), "server.allow_hosts[0]: must not be empty"},
		{
			"URL as host", hosts("mcp.example.com", "http://x/"),
			`server.allow_hosts[1]: allowed host "http://x/": give a host or host:port, such as mcp.example.com or [2001:db8::1]:8443, ` +
				`without scheme or path`,
		},
		{
			"host as origin", origins("example.com"),
			`server.allow_origins[0]: "example.com" must be scheme://host, such as https://app.example.com`,
		},
		{
			"pattern as origin", origins("https://*"),
			`server.allow_origins[0]: allowed origin "https://*": give scheme://host or scheme://host:port, such as https://app.example.com, ` +
				"without path, and neither * nor null",
		},
	})
}

func TestCheckRefusesSettings(t *testing.T) {
	refuses(t, []refusal{
		{"reload", func(c *configv1.Config) { c.Reload = durationpb.New(time.Millisecond) }, "reload: must be 0s (never) or at least 1s"},
		{"profile", func(c *configv1.Config) { c.Profile = 9 }, "profile: is no known value"},
		{"mode", func(c *configv1.Config) { c.Mode = 9 }, "mode: is no known value"},
		{
			"request limit", func(c *configv1.Config) { c.Limits = &configv1.Limits{MaxRequestBytes: -1} },
			"limits.max_request_bytes: must be from 1 to 1073741824, or 0 for the default",
		},
		{
			"tasks of one principal", func(c *configv1.Config) { c.Tasks = &configv1.Tasks{MaxTasksPerPrincipal: 1001} },
			"tasks.max_tasks_per_principal: is 1001, and there are 1000 tasks at most (max_tasks): set one no higher than the other",
		},
		{
			"tasks asked for too late",
			func(c *configv1.Config) {
				c.Tasks = &configv1.Tasks{Ttl: durationpb.New(time.Second), PollInterval: durationpb.New(time.Minute)}
			},
			"tasks.poll_interval: is 1m0s, and a task is kept for 1s (ttl): nobody would learn what it has come to",
		},
	})
}

// TestFaultField: indices say which, a field says what.
func TestFaultField(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"": "", "reload": "reload", "backends[0].headers[12].name": "backends.headers.name"} {
		if got := (config.Fault{Path: path}).Field(); got != want {
			t.Errorf("the field of %q is %q, want %q", path, got, want)
		}
	}
}

func TestCheckRefusesOperation(t *testing.T) {
	servers := func(admin, server string) func(*configv1.Config) {
		return func(c *configv1.Config) {
			c.Admin, c.Server = &configv1.Admin{Listen: admin}, &configv1.Server{Listen: server, InsecureNoAuth: true}
		}
	}
	otlp := func(endpoint string) func(*configv1.Config) {
		return func(c *configv1.Config) {
			c.Telemetry = &configv1.Telemetry{Otlp: &configv1.Otlp{Endpoint: endpoint}}
		}
	}
	const taken = " is taken by server.listen, which is "
	refuses(t, []refusal{
		{"no port", servers("x", ""), `admin.listen: "x" must be host:port, such as 127.0.0.1:8081`},
		{"port too large", servers("x:70000", ""), `admin.listen: "x:70000" has no port between 0 and 65535`},
		{"no address", servers("::1:80", ""), `admin.listen: "::1:80" is no address; write host:port, such as 127.0.0.1:8081`},
		{"one address", servers("127.0.0.1:8080", ""), "admin.listen: 127.0.0.1:8080" + taken + "127.0.0.1:8080: choose another port"},
		{"one port of all addresses", servers("127.0.0.1:1", ":1"), "admin.listen: 127.0.0.1:1" + taken + ":1: choose another port"},
		{"default", servers("", "localhost:8081"), "admin.listen: 127.0.0.1:8081" + taken + "localhost:8081: choose another port"},
		{"no endpoint", otlp(""), "telemetry.otlp.endpoint: must be a URL with http:// or https://, such as http://localhost:4317"},
		{
			"address as endpoint", otlp("jaeger:4317"),
			"telemetry.otlp.endpoint: must be a URL with http:// or https://, such as http://localhost:4317",
		},
		{
			"password in the endpoint", otlp("http://me:hunter2@jaeger:4317"),
			"telemetry.otlp.endpoint: must not have a user and a password in it: send them as one of the headers",
		},
		{
			"query in the endpoint", otlp("http://jaeger/?key=hunter2"),
			"telemetry.otlp.endpoint: has a part behind the path, which is not sent: take it away",
		},
	})
}

func TestCheckRefusesForwarded(t *testing.T) {
	forwarded := func(list ...*configv1.ForwardedHeader) func(*configv1.Config) {
		return backend(func(b *configv1.Backend) {
			b.Headers, b.ForwardHeaders = []*configv1.Header{literal("x-own", "v")}, list
		})
	}
	one := func(header, metadata string) *configv1.ForwardedHeader {
		return &configv1.ForwardedHeader{Header: header, Metadata: metadata}
	}
	const credentials = " cannot be forwarded: it carries the client's credentials, which are for the bridge alone; " +
		"give the backend a credential of its own: headers, with secret"
	refuses(t, []refusal{
		{"credentials", forwarded(one("Authorization", "x-auth")), `backends[0].forward_headers[0]: header "Authorization"` + credentials},
		{"as credentials", forwarded(one("X-Caller", "authorization")), `backends[0].forward_headers[0]: metadata "authorization"` + credentials},
		{
			"name", forwarded(one("X Y", "")),
			`backends[0].forward_headers[0].header: "X Y" must have only letters, digits, "-", "_" and ".", such as X-Request-Id`,
		},
		{
			"static one", forwarded(one("X-Own", "")),
			"backends[0].forward_headers[0]: the headers of this backend have x-own already: keep one of them, or choose another metadata",
		},
		{
			"static one in another spelling", forwarded(one("A", "x_own")),
			"backends[0].forward_headers[0]: the headers of this backend have x_own already: keep one of them, or choose another metadata",
		},
		{
			"twice", forwarded(one("X-A", ""), one("X-B", "x_a")),
			"backends[0].forward_headers[1]: forward_headers[0] is sent as x_a already: choose another metadata",
		},
		{
			"less than no calls", backend(func(b *configv1.Backend) { b.Quota = &configv1.Quota{PerSecond: -1} }),
			"backends[0].quota.per_second: must be from 0 to 10000000",
		},
		{
			"quota", backend(func(b *configv1.Backend) { b.Quota = &configv1.Quota{Burst: 3} }),
			"backends[0].quota: burst is for per_second; set that, or leave burst out",
		},
	})
}

func TestCheckRefusesRetries(t *testing.T) {
	retry := func(r *configv1.Retry) func(*configv1.Config) {
		return backend(func(b *configv1.Backend) { b.Retry = r })
	}
	const bounds = "backends[0].retry.max_attempts: must be from 1 to 5, or 0 for the default"
	refuses(t, []refusal{
		{"too many", retry(&configv1.Retry{MaxAttempts: 6}), bounds},
		{"less than none", retry(&configv1.Retry{MaxAttempts: -1}), bounds},
		{
			"no pattern", retry(&configv1.Retry{Idempotent: []string{"a.*", "a/b"}}),
			`backends[0].retry.idempotent[1]: "a/b" must be a glob of full method names, such as library.v1.LibraryService.UpdateBook`,
		},
	})
}
