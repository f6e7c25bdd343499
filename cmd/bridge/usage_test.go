package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// invoke runs one command line in this process.
func invoke(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = run(t.Context(), args, strings.NewReader(stdin), &out, &err)
	return code, out.String(), err.String()
}

// nobody is a backend that nothing is sent to.
const nobody = "--backend localhost:1 --plaintext "

// usage is a wrong command line and the one line that it is answered with.
type usage struct{ args, want string }

// wrong holds command lines against exit code 2 and one line that says what is wrong and how to mend it.
func wrong(t *testing.T, usages []usage) {
	t.Helper()
	t.Parallel()
	for _, tt := range usages {
		t.Run(tt.args, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := invoke(t, "", strings.Fields(tt.args)...)
			if want := "bridge: " + tt.want + "\n"; code != exitUsage || stdout != "" || stderr != want {
				t.Errorf("exit code %d, stdout %q, stderr:\n%s\nwant exit code 2 and:\n%s", code, stdout, stderr, want)
			}
			if strings.Contains(stderr, "hunter2") {
				t.Error("a secret is shown")
			}
		})
	}
}

func TestUsageOfCommands(t *testing.T) {
	wrong(t, []usage{
		{"serv", `unknown command "serv" for "bridge": the commands are call, config, demo, health, lint, serve, stdio, tools, version`},
		{"--nope", "unknown flag: --nope; see bridge --help"},
		{"serve --nope", "unknown flag: --nope; see bridge serve --help"},
		{
			"serve localhost:50051",
			`unexpected argument "localhost:50051": a backend is given by a flag, as in bridge serve --backend localhost:50051`,
		},
		{"version now", `unexpected argument "now"; see bridge version --help`},
		{"demo now", `unexpected argument "now"; see bridge demo --help`},
		{"tools " + nobody + "-o yaml", `--output "yaml": choose table or json`},
		{"lint " + nobody + "-o yaml", `--output "yaml": choose table or json`},
		{
			"lint",
			"no target: give --config file, --backend host:port (with --plaintext if it has no TLS), --descriptor-set file or --proto file; see " +
				"bridge lint --help",
		},
		{"call " + nobody, "which tool? give its name, and its arguments as JSON; bridge tools lists the names; see bridge call --help"},
		{"help nope", `unknown command "nope": the commands are call, config, demo, health, lint, serve, stdio, tools, version`},
		{"help serve now", `unknown command "serve now": the commands are call, config, demo, health, lint, serve, stdio, tools, version`},
		{"call " + nobody + "tool {} {}", "3 arguments: give the tool and one JSON object, in quotes so that the shell keeps it together"},
		{
			"call " + nobody + "tool {name:1}",
			`the arguments are no JSON (invalid character 'n' looking for beginning of object key string): give an object such as ` +
				`'{"name": "books/dune"}'`,
		},
		{
			"call " + nobody + "tool -",
			`the arguments are no JSON (unexpected end of JSON input): give an object such as '{"name": "books/dune"}'`,
		},
	})
}

func TestUsageOfTargets(t *testing.T) {
	wrong(t, []usage{
		{"serve", "no target: give --config file, or --backend host:port, with --plaintext if it has no TLS; see bridge serve --help"},
		{"stdio", "no target: give --config file, or --backend host:port, with --plaintext if it has no TLS; see bridge stdio --help"},
		{"call tool", "no target: give --config file, or --backend host:port, with --plaintext if it has no TLS; see bridge call --help"},
		{"serve --backend", "flag needs an argument: --backend; see bridge serve --help"},
		{"serve --backend=", `invalid argument "" for "--backend" flag: it is empty: give a value, or drop the flag; see bridge serve --help`},
		{"stdio --backend http://x:1", `--backend: "http://x:1" has a scheme that gRPC does not know; write host:port, such as localhost:50051`},
		{"tools --backend x:99999", `--backend: "x:99999" has no port between 1 and 65535; write host:port, such as x:50051`},
		{
			"tools --backend x:1 --tls-ca=",
			`invalid argument "" for "--tls-ca" flag: it is empty: give a value, or drop the flag; see bridge tools --help`,
		},
		{"serve --backend library", `--backend: "library" has no port; write host:port, such as library:50051`},
		{"serve " + nobody + "--tls-ca f", "--plaintext and --tls-ca contradict each other: drop one of them"},
		{"serve --backend x:1 --tls-cert f", "--tls-cert and --tls-key are set together or not at all"},
		{
			"serve " + nobody + "--deadline 30",
			`invalid argument "30" for "--deadline" flag: time: missing unit in duration "30"; write it with its unit, such as 30s; see ` +
				`bridge serve --help`,
		},
		{"serve " + nobody + "--deadline 0s", "--deadline: must be greater than 0s"},
		{
			"serve " + nobody + "--max-message-size 4x",
			`invalid argument "4x" for "--max-message-size" flag: give a positive size such as 4MiB, 512KiB or 1000000; see bridge serve --help`,
		},
		{
			"serve " + nobody + "--max-message-size 2GiB",
			`invalid argument "2GiB" for "--max-message-size" flag: give at most 2047MiB, which is what gRPC can carry; see bridge serve --help`,
		},
		{
			"serve " + nobody + "--header Authorization:Bearer_hunter2",
			`--header "Authorization"…: write name=value, name=@file or name=env:VARIABLE`,
		},
		{"serve " + nobody + "--header x/y=v", `--header: "x/y" must have only a-z, 0-9, "-", "_" and ".", such as authorization`},
		{"serve " + nobody + "--header x=env:1", `--header: must be the name of an environment variable, such as LIBRARY_TOKEN`},
		{"serve " + nobody + "--header x=@", `--header: must not be empty`},
		{"serve " + nobody + "--header grpc-x=v", `--header: names that start with "grpc-" belong to gRPC`},
		{"serve " + nobody + "--header TE=1", `--header: header "te": this name belongs to gRPC or HTTP/2; choose another`},
		{
			"serve " + nobody + "--header x=hunter2ü",
			`--header: header "x": its value has a character outside printable ASCII, such as a line end; remove it or use a name that ends in -bin`,
		},
		{
			"serve " + nobody + "--header x=" + strings.Repeat("hunter2", 2000),
			"--header: the headers take 14001 bytes together: shorten them to 8192",
		},
		{"serve " + nobody + "--reflection-header te=1", `--reflection-header: header "te": this name belongs to gRPC or HTTP/2; choose another`},
		{"serve " + nobody + "--reflection-header x", `--reflection-header "x"…: write name=value, name=@file or name=env:VARIABLE`},
		{
			"serve " + nobody + "--reflection-header x/y=v",
			`--reflection-header: "x/y" must have only a-z, 0-9, "-", "_" and ".", such as authorization`,
		},
		{"call " + nobody + "-- ", "which tool? give its name, and its arguments as JSON; bridge tools lists the names; see bridge call --help"},
	})
}

func TestUsageOfDescriptors(t *testing.T) {
	wrong(t, []usage{
		{
			"tools",
			"no target: give --config file, --backend host:port (with --plaintext if it has no TLS), --descriptor-set file or --proto file; see " +
				"bridge tools --help",
		},
		{
			"serve --descriptor-set x",
			"no target: give --config file, or --backend host:port, with --plaintext if it has no TLS; see bridge serve --help",
		},
		{
			"serve " + nobody + "--descriptor-set a --proto b",
			"--descriptor-set and --proto both say where descriptors come from: drop one of them",
		},
		{"serve " + nobody + "--proto-path a", "--proto-path says where to look for --proto files, and there is none: add --proto"},
		{
			"serve " + nobody + "--reflection",
			"--reflection lays the comments of --descriptor-set or --proto over reflection: add one of these, or drop it (reflection " +
				"is the default)",
		},
		{
			"serve " + nobody + "--descriptor-set a --reflection-header x=y",
			"--reflection-header is of no use without reflection: drop it, or add --reflection to take only comments from the files",
		},
		{
			"tools --descriptor-set a --descriptor-set b",
			`invalid argument "b" for "--descriptor-set" flag: it was given before, with "a", and has one value: drop one of them; see ` +
				`bridge tools --help`,
		},
		{
			"lint --descriptor-set a -o json --output=table",
			`invalid argument "table" for "-o, --output" flag: it was given before, with "json", and has one value: drop one of them; see ` +
				`bridge lint --help`,
		},
		{
			"tools --plaintext --plaintext=false",
			`invalid argument "false" for "--plaintext" flag: it was given before, with "true", and has one value: drop one of them; see ` +
				`bridge tools --help`,
		},
		{
			"serve --deadline 60s --deadline 2m",
			`invalid argument "2m" for "--deadline" flag: it was given before, with "1m0s", and has one value: drop one of them; see ` +
				`bridge serve --help`,
		},
		{
			"tools --mode search --mode search --deadline 60s --deadline 1m --plaintext --plaintext",
			"no target: give --config file, --backend host:port (with --plaintext if it has no TLS), --descriptor-set file or --proto file; see " +
				"bridge tools --help",
		},
		{"tools --descriptor-set a --reflection", "--reflection asks the backend, and there is none: add --backend host:port"},
		{"tools --descriptor-set a.proto", `--descriptor-set: "a.proto" is a .proto source; give it as --proto`},
		{"tools --proto protos/a.binpb", `--proto: "protos/a.binpb" is no .proto source; give a descriptor set as --descriptor-set`},
		{"tools --proto=", "--proto: must not be empty"},
		{"tools --proto a.proto --proto-path=", "--proto-path: must not be empty"},
		{"serve " + nobody + "--reflection --proto=", "--proto: must not be empty"},
		{"serve " + nobody + "--expose a/b", `--expose: "a/b" must be a glob of full method names, such as library.v1.*`},
		{"serve " + nobody + "--hide=", `--hide: "" must be a glob of full method names, such as *.Delete*`},
		{"serve " + nobody + "--visibility=", "--visibility: must not be empty"},
		{"serve " + nobody + "--visibility A,B", `--visibility: "A,B" must be one label, such as PREVIEW`},
		{
			"serve " + nobody + "--tool-name get_book",
			`--tool-name "get_book": write method=name, such as library.v1.LibraryService.GetBook=get_book`,
		},
		{"serve " + nobody + "--tool-name a.B.C=", `--tool-name "a.B.C=": write method=name, such as library.v1.LibraryService.GetBook=get_book`},
		{"serve " + nobody + "--tool-name a.B.C=c --tool-name a.B.C=d", "--tool-name gives a.B.C two names, c and d: drop one of them"},
		{"serve " + nobody + "--tool-name C=c", `--tool-name: "C" must be the full name of a method, such as library.v1.LibraryService.GetBook`},
		{"serve " + nobody + "--profile x", `--profile "x": choose portable or rich`},
		{"serve " + nobody + "--mode x", `--mode "x": choose tools or search`},
		{
			"serve " + nobody + "--mode=",
			`invalid argument "" for "--mode" flag: it is empty: give a value, or drop the flag; see bridge serve --help`,
		},
	})
}

func TestUsageOfServers(t *testing.T) {
	wrong(t, []usage{
		{"serve " + nobody + "--reload 1ms", "--reload: must be 0s (never) or at least 1s"},
		{"serve " + nobody + "--listen 8080", `--listen: "8080" must be host:port, such as 127.0.0.1:8080`},
		{
			"serve " + nobody + "--listen :8080",
			"--listen: :8080 can be reached by other hosts, and nobody is asked who they are; listen on 127.0.0.1, or set " +
				"--insecure-no-auth to accept that",
		},
		{
			"serve " + nobody + "--allow-host http://x/",
			`--allow-host: allowed host "http://x/": give a host or host:port, such as mcp.example.com or [2001:db8::1]:8443, ` +
				`without scheme or path`,
		},
		{
			"serve " + nobody + "--allow-origin https://*",
			`--allow-origin: allowed origin "https://*": give scheme://host or scheme://host:port, such as https://app.example.com, without ` +
				`path, and neither * nor null`,
		},
		{
			"serve " + nobody + "--allow-origin example.com",
			`--allow-origin: "example.com" must be scheme://host, such as https://app.example.com`,
		},
		{
			"serve " + nobody + "--deadline 0s --reload 1ms --listen :80",
			"--deadline: must be greater than 0s; --reload: must be 0s (never) or at least 1s; --listen: :80 can be reached by other hosts, and " +
				"nobody is asked who they are; listen on 127.0.0.1, or set --insecure-no-auth to accept that",
		},
		{
			"demo --listen 0.0.0.0:0",
			"--listen: 0.0.0.0:0 can be reached by other hosts, and the demo stays on this one; give a loopback address such as 127.0.0.1:8080",
		},
		{"demo --listen 127.0.0.1", `--listen: "127.0.0.1" must be host:port, such as 127.0.0.1:8080`},
		{"demo --listen 127.0.0.1:99999", `--listen: "127.0.0.1:99999" has no port between 0 and 65535`},
		{"demo --listen=", `invalid argument "" for "--listen" flag: it is empty: give a value, or drop the flag; see bridge demo --help`},
	})
}

// TestFailures: the command line is right, the world is not: exit code 1, one line.
func TestFailures(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	large := write("large.binpb", "")
	if err := os.Truncate(large, 64<<20+1); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ args, want string }{
		{"tools --descriptor-set /nowhere.binpb", `descriptor set "/nowhere.binpb": no such file or directory; correct --descriptor-set`},
		{"tools --descriptor-set " + write("wrong.binpb", "not a descriptor set"), "wrong.binpb"},
		{"tools --descriptor-set " + dir, "is a directory; correct --descriptor-set"},
		{
			"tools --descriptor-set " + large,
			"more than 64 MiB of descriptors; give those of the services to be offered alone, with --descriptor-set or --proto",
		},
		{"tools --proto /nowhere.proto", "does not exist, neither below \".\" nor by itself; correct --proto or --proto-path"},
		{"tools --proto x.proto --proto-path /nowhere", "; correct --proto-path"},
		{"tools --proto " + write("bad.proto", "syntax = \"proto3\";\nmessage {\nservice"), "bad.proto:2:9"},
		{"tools --proto " + write("lone.proto", "syntax = \"proto3\";\nimport \"no/where.proto\";"), `"no/where.proto" not found below `},
		{"tools --proto " + write("lone.proto", "syntax = \"proto3\";\nimport \"no/where.proto\";"), "; see --proto-path"},
		{"tools --proto " + write("out.proto", "syntax = \"proto3\";\nimport \"../x.proto\";"), "; see --proto-path"},
		{
			"serve " + nobody + "--listen 127.0.0.1:0 --header x=@/nowhere",
			`header "x": read the secret: open /nowhere: no such file or directory; see --header`,
		},
		{
			"call " + nobody + "--header x=env:BRIDGE_TEST_UNSET t",
			`header "x": environment variable BRIDGE_TEST_UNSET is not set: export it, or take the header away; see --header`,
		},
		{
			"call " + nobody + "--header x=@" + write("long", strings.Repeat("x", 5000)) + " --header y=@" + filepath.Join(dir, "long") + " t",
			"; see --header",
		},
		{
			"tools " + nobody + "--reflection-header x=@/nowhere",
			`reflection: header "x": read the secret: open /nowhere: no such file or directory; see --reflection-header`,
		},
		{
			"stdio --backend x:1 --tls-ca " + write("ca.pem", "x"),
			"ca.pem holds no PEM certificate: give a file with BEGIN CERTIFICATE blocks; correct --tls-ca",
		},
		{"stdio --backend x:1 --tls-ca /nowhere.pem", "open /nowhere.pem: no such file or directory; correct --tls-ca"},
		{"stdio --backend x:1 --tls-cert /nowhere.pem --tls-key /nowhere.key", "correct --tls-cert and --tls-key"},
		{"serve " + nobody + "--listen 203.0.113.7:0 --insecure-no-auth", "listen on 203.0.113.7:0: "},
		{
			"tools --plaintext --backend unix:/nowhere.sock",
			"no such file or directory\"; correct --backend, or give the descriptors with --descriptor-set or --proto",
		},
		{"call --plaintext --backend x:1 --descriptor-set ../../services/library/library.binpb take_a_walk", "; bridge tools lists them"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := invoke(t, "", strings.Fields(tt.args)...)
			last := stderr[strings.LastIndexByte(strings.TrimSuffix(stderr, "\n"), '\n')+1:] // warnings may stand before it
			if strings.Contains(stderr, "With") || strings.Contains(stderr, "Limits.") {
				t.Errorf("stderr speaks to those who write programs:\n%s", stderr)
			}
			if code != exitFailure || stdout != "" || !strings.Contains(last, tt.want) || !strings.HasPrefix(last, "bridge: ") {
				t.Errorf("exit code %d, stdout %q, stderr:\n%s\nwant exit code 1 and: %s", code, stdout, stderr, tt.want)
			}
		})
	}
}

// TestHelp: each command explains itself with an example that can be run.
func TestHelp(t *testing.T) {
	t.Parallel()
	for _, command := range append(commandNames(newRoot()), "") {
		t.Run("bridge "+command, func(t *testing.T) {
			t.Parallel()
			args := strings.Fields(command + " --help")
			code, stdout, stderr := invoke(t, "", args...)
			if code != 0 || stderr != "" || !strings.Contains(stdout, "Examples:\n  ") || !strings.Contains(stdout, "bridge "+command) {
				t.Errorf("exit code %d, stderr %q, help:\n%s", code, stderr, stdout)
			}
			for line := range strings.SplitSeq(stdout, "\n") {
				if strings.Contains(line, "stringArray") || strings.Contains(line, " string ") {
					t.Errorf("a flag names its Go type: %s", line)
				}
			}
		})
	}
}

func TestBareCommandShowsHelp(t *testing.T) {
	t.Parallel()
	if code, stdout, _ := invoke(t, ""); code != 0 || !strings.Contains(stdout, "Available Commands:") {
		t.Errorf("exit code %d:\n%s", code, stdout)
	}
}
