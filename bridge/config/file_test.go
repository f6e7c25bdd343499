package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/config"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// parsed returns what is said of a file called bridge.yaml, fault by fault.
func parsed(t testing.TB, text string) []string {
	t.Helper()
	c, err := config.Parse("bridge.yaml", []byte(text))
	if err == nil {
		return nil
	}
	var invalid *config.Error
	if !errors.As(err, &invalid) || c != nil {
		t.Fatalf("error %v, configuration %v", err, c)
	}
	var all []string
	for _, f := range invalid.Faults {
		all = append(all, f.String())
	}
	if err.Error() != strings.Join(all, "\n") {
		t.Errorf("the text is not one fault a line: %s", err)
	}
	return all
}

// TestParseReportsAll: all kinds of faults come at once, where they stand, and no secret with them.
func TestParseReportsAll(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/faults.yaml")
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(parsed(t, string(text)), "\n") + "\n"
	if *update {
		if err := os.WriteFile("testdata/faults.txt", []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/faults.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
	if strings.Contains(got, "hunter2") {
		t.Error("a secret is shown")
	}
}

// TestParseRefuses what is wrong with a file as a whole, and what is said once though it is wrong in two ways.
func TestParseRefuses(t *testing.T) {
	t.Parallel()
	const empty = "bridge.yaml: is empty: name at least one of the backends, such as\nbackends:\n  - target: localhost:50051\n  " +
		"  plaintext: {}"
	const noBackends = "server, limits, reload, profile, mode, output_schemas, admin, telemetry, caller_quota, interaction and tasks"
	deep := strings.Repeat("[", 20_000)
	for _, tt := range []struct{ name, text, want string }{
		{"nothing", "", empty},
		{"comments alone", "# nothing\n", empty},
		{"null", "~", empty},
		{"list", "- a", "bridge.yaml:1:1: must be a mapping of keys, such as backends: …, and is a list"},
		{"text", "hunter3", "bridge.yaml:1:1: must be a mapping of keys, such as backends: …, and is a single value"},
		{"syntax", "a: b: c", "bridge.yaml:1: is not YAML: mapping values are not allowed in this context"},
		{"syntax further down", "mode: x\na: [", "bridge.yaml:2: is not YAML: did not find expected node content"},
		{
			"tab", "server:\n\tlisten: x",
			"bridge.yaml:2: is not YAML: found character that cannot start any token; indent with spaces, not with tabs",
		},
		{
			"two documents", "backends: []\n---\nbackends: []\n",
			"bridge.yaml:2:1: here begins a second YAML document: one file is one configuration",
		},
		{"broken second document", "backends: []\n---\n[", "bridge.yaml:3: is not YAML: did not find expected node content"},
		{"encoding", "mode: \xff", "bridge.yaml:1:7: is not UTF-8: save the file in this encoding"},
		{"UTF-16", "\xff\xfem\x00", "bridge.yaml:1:1: is not UTF-8: save the file in this encoding"},
		{"too large", strings.Repeat("#", 1<<20+1), "bridge.yaml: is larger than the 1048576 bytes that a configuration may have"},
		{"too deep", deep, "bridge.yaml:1: is not YAML: exceeded max depth of 10000"},
		{"too many", "backends: [" + strings.Repeat("{},", 1001) + "]", "bridge.yaml:1:11: backends: has 1001 items, and may have 1000"},
		{"misspelt", "backend: [{target: 'x:1'}]", `bridge.yaml:1:1: "backend" is unknown; backends is meant`},
		{"unknown", "? port\n: 1\nbackends: [{target: 'x:1'}]", `bridge.yaml:1:3: "port" is unknown; there are backends, ` + noBackends},
		{"alias", "backends: &b [{target: 'x:1'}]\nreload: *b", "bridge.yaml:2:9: reload: aliases are not followed: write out what is meant"},
		{
			"alias of nothing", "mode: MODE_TOOLS\nreload: *b",
			"bridge.yaml:2:9: this alias stands for nothing, and aliases are not followed: write out what is meant, in quotes if it begins with *",
		},
		{"merge", "<<: {mode: MODE_TOOLS}\nbackends: [{target: 'x:1'}]", "bridge.yaml:1:1: keys cannot be merged: write out what is meant"},
		{
			"tag", "backends: [{target: !env TARGET}]",
			`bridge.yaml:1:21: backends[0].target: tags mean nothing here: take it away, or put the whole in quotes if it is a text ` +
				`that begins with !`,
		},
		{"key", "? [a]\n: b\nbackends: [{target: 'x:1'}]", "bridge.yaml:1:3: a key is a name, such as deadline"},
		{
			"key where there are none", "backends: [{target: 'x:1', plaintext: {[a]: b}}]",
			"bridge.yaml:1:40: backends[0].plaintext: a key is a name, such as deadline",
		},
		{
			"name where there are none", "backends: [{target: 'x:1', plaintext: {on: true}}]",
			`bridge.yaml:1:40: backends[0].plaintext: "on" is unknown; there are no keys here: write {}`,
		},
		{
			"value where there are no keys", "backends: [{target: 'x:1', plaintext: true}]",
			"bridge.yaml:1:39: backends[0].plaintext: must be a mapping of keys, and is a single value",
		},
		{
			"no value", "backends: [{target: 'x:1'}]\nadmin:\n",
			"bridge.yaml:2:7: admin: has no value: give one, or take the key away; for an empty one write {}",
		},
		{
			"no value of a text", "backends: [{target: null}]",
			`bridge.yaml:1:21: backends[0].target: has no value: give one, or take the key away; for an empty one write ""`,
		},
		{
			"line breaks of other kinds", "backends: [{target: 'x:1',\u2028\u0085deadline: 1}]\r\r",
			"bridge.yaml:3:11: backends[0].deadline: must be a duration with its unit, such as 30s, 1m30s or 250ms; for 1 seconds write 1s",
		},
		{
			"characters, not bytes", "backends: [{name: ü, target: 'x:1', deadline: []}]",
			"bridge.yaml:1:19: backends[0].name: \"ü\" must be a lower-case letter, then at most 62 of a-z, 0-9, \"_\" and \"-\"\n" +
				"bridge.yaml:1:47: backends[0].deadline: must be a duration with its unit, such as 30s, 1m30s or 250ms, and is a list",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, strings.Join(parsed(t, tt.text), "\n")); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

// TestParseShowsNoSecret: a file of secrets that is taken for a configuration, and what slipped into the wrong line. Slips of the pen
// are told all the same.
func TestParseShowsNoSecret(t *testing.T) {
	t.Parallel()
	const there = " is unknown; there are backends, "
	for _, tt := range []struct{ name, text, want string }{
		{"secret before a colon", "hunter2TOKEN: x", ":1:1: this key of 12 characters" + there},
		{"random text", "9f86d081884c7d65: x", ":1:1: this key of 16 characters" + there},
		{"words that are too many", strings.Repeat("hunter_", 6) + "two: x", ":1:1: this key of 45 characters" + there},
		{"characters, not bytes", "hüntér: x", ":1:1: this key of 6 characters" + there},
		{"words", "database_url2: hunter2", `:1:1: "database_url2"` + there},
		{"slip", "Bakends: []", `:1:1: "Bakends" is unknown; backends is meant`},
		{"slip with much between", "back" + strings.Repeat("-", 40) + "end: []", ":1:1: this key of 47 characters is unknown; backends is meant"},
		{"alias", "password: *hunter2", ":1:11: this alias stands for nothing"},
		{"tag", "backends: [{target: !hunter2 x}]", ":1:21: backends[0].target: tags mean nothing here"},
		{
			"name of a header", "backends: [{target: 'x:1', headers: [{name: 'Bearer hunter2', literal: authorization}]}]",
			":1:45: backends[0].headers[0].name: must have only a-z",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := strings.Join(parsed(t, tt.text), "\n")
			if !strings.Contains(got, "bridge.yaml"+tt.want) || strings.Contains(got, "hunter2") {
				t.Errorf("faults %s", got)
			}
		})
	}
}

// TestParseCountsTheRest of many faults.
func TestParseCountsTheRest(t *testing.T) {
	t.Parallel()
	for n, last := range map[int]string{100: `bridge.yaml:100:1: "nothing" is unknown; there are `, 5000: "bridge.yaml:101:1: and 4900 more"} {
		got := parsed(t, strings.Repeat("nothing: x\n", n-1)+"nothing: x") // the rule that there are backends is broken as well, and follows
		if !strings.HasPrefix(got[len(got)-1], last) || len(got) != min(n, 101) {
			t.Errorf("%d faults: %d are told, the last is %s", n, len(got), got[len(got)-1])
		}
	}
}

// TestParseOneNameTwice: the fault stands at the second name, and has the line of the first.
func TestParseOneNameTwice(t *testing.T) {
	t.Parallel()
	const own = ": every backend needs a name of its own (one without is called \"default\"); the other one is in line 2"
	for text, want := range map[string]string{
		"backends:\n- {name: a, target: 'x:1'}\n- {name: b, target: 'x:2'}\n- {name: a, target: 'x:3'}": `bridge.yaml:4:10: backends[2].name: ` +
			`backends[0] is called "a" already` + own,
		"backends:\n- {target: 'x:1'}\n- {target: 'x:2'}": `bridge.yaml:3:3: backends[1].name: ` +
			`backends[0] is called "default" already` + own,
	} {
		if diff := cmp.Diff([]string{want}, parsed(t, text)); diff != "" {
			t.Errorf("faults (-want +got):\n%s", diff)
		}
	}
}

// TestBillionLaughs: aliases are refused before anything follows them.
func TestBillionLaughs(t *testing.T) {
	t.Parallel()
	text := "a0: &a0 [x]\n"
	for i := 1; i < 30; i++ {
		before := string(rune('0' + i - 1))
		now := string(rune('0' + i))
		text += "a" + now + ": &a" + now + " [" + strings.Repeat("*a"+before+", ", 10) + "]\n"
	}
	if got := parsed(t, text); len(got) == 0 {
		t.Error("the file is taken")
	}
}

// TestSpellings: keys in lowerCamelCase are the same keys.
func TestSpellings(t *testing.T) {
	t.Parallel()
	c, err := config.Parse("bridge.yaml",
		[]byte("backends: [{target: 'x:1', maxMessageBytes: 7, hideInternalErrors: true}]\noutputSchemas: false\n"))
	if err != nil || c.GetBackends()[0].GetMaxMessageBytes() != 7 || !c.GetBackends()[0].GetHideInternalErrors() || c.GetOutputSchemas() {
		t.Errorf("configuration %v, error %v", c, err)
	}
	want := []string{"bridge.yaml:1:48: backends[0].max_message_bytes: stands here a second time, after line 1: put both together"}
	if got := parsed(t, "backends: [{target: 'x:1', maxMessageBytes: 7, max_message_bytes: 7}]"); !slices.Equal(got, want) {
		t.Errorf("faults %q", got)
	}
}

// TestLiteralSecrets: what is secret by its name does not stand in the file; what only sounds like it may.
func TestLiteralSecrets(t *testing.T) {
	t.Parallel()
	for name, refused := range map[string]bool{
		"authorization": true, "proxy-authorization": true, "x-access-token": true, "client_secret": true, "x-api-key": true, "x.api.key": true,
		"x-password": true, "cookie": true, "x-environment": false, "x-key": false, "x-trace": false,
	} {
		text := "backends: [{target: 'x:1', headers: [{name: " + name + ", literal: hunter2}]}]"
		if got := parsed(t, text); (len(got) == 1) != refused {
			t.Errorf("%s: faults %q", name, got)
		}
	}
	for _, text := range []string{
		"backends: [{target: 'x:1', descriptors: {reflection: {headers: [{name: x-token, literal: hunter2}]}}}]",
		"backends: [{target: 'x:1'}]\ntelemetry: {otlp: {endpoint: 'http://x', headers: [{name: x-token, literal: hunter2}]}}",
	} {
		if got := parsed(t, text); len(got) != 1 || !strings.Contains(got[0], "is a secret") || strings.Contains(got[0], "hunter2") {
			t.Errorf("faults %q", got)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for path, want := range map[string]string{
		dir:                           dir + ": is a directory: name the configuration file itself",
		filepath.Join(dir, "no.yaml"): filepath.Join(dir, "no.yaml") + ": there is no such file: name the configuration file",
		write(t, "")[:1] + "\x00":     "/\x00: cannot be read: invalid argument",
	} {
		_, err := config.Read(path)
		var invalid *config.Error
		if !errors.As(err, &invalid) || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	path := write(t, "mode: x")
	if _, err := config.Read(path); err == nil || !strings.HasPrefix(err.Error(), path+":1:") {
		t.Errorf("error %v does not name the file", err)
	}
}

// TestRelativePaths: they are seen from the file, and absolute ones stay.
func TestRelativePaths(t *testing.T) {
	t.Parallel()
	const text = `
backends:
  - name: a
    target: x:1
    tls: {ca_file: ca.pem, cert_file: certs/c.pem, key_file: /etc/c.key}
    headers: [{name: x, secret: {file: ../token}}]
    descriptors:
      reflection: {headers: [{name: y, secret: {file: t}}]}
      overlay: {descriptor_set: a.binpb}
  - name: b
    descriptors: {files: {protos: [a.proto]}}
  - name: c
    descriptors: {files: {protos: [a.proto], proto_paths: [., /usr/include]}}
telemetry: {otlp: {endpoint: "http://x", headers: [{name: z, secret: {file: z}}]}}
`
	c, err := config.Parse("/etc/bridge/bridge.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	a, b, third := c.GetBackends()[0], c.GetBackends()[1], c.GetBackends()[2]
	got := []string{
		a.GetTls().GetCaFile(), a.GetTls().GetCertFile(), a.GetTls().GetKeyFile(), a.GetHeaders()[0].GetSecret().GetFile(),
		a.GetDescriptors().GetReflection().GetHeaders()[0].GetSecret().GetFile(), a.GetDescriptors().GetOverlay().GetDescriptorSet(),
		strings.Join(b.GetDescriptors().GetFiles().GetProtoPaths(), ","), strings.Join(b.GetDescriptors().GetFiles().GetProtos(), ","),
		strings.Join(third.GetDescriptors().GetFiles().GetProtoPaths(), ","), c.GetTelemetry().GetOtlp().GetHeaders()[0].GetSecret().GetFile(),
	}
	want := []string{
		"/etc/bridge/ca.pem", "/etc/bridge/certs/c.pem", "/etc/c.key", "/etc/token", "/etc/bridge/t", "/etc/bridge/a.binpb",
		"/etc/bridge", "a.proto", "/etc/bridge,/usr/include", "/etc/bridge/z",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("paths (-want +got):\n%s", diff)
	}
}

// TestNoExpansion: what looks like a variable in a text is a text.
func TestNoExpansion(t *testing.T) {
	t.Setenv("BRIDGE_TEST_HOST", "elsewhere")
	c, err := config.Parse("bridge.yaml", []byte("backends: [{target: 'x:1', headers: [{name: x, literal: '${BRIDGE_TEST_HOST}'}]}]"))
	if err != nil || c.GetBackends()[0].GetHeaders()[0].GetLiteral() != "${BRIDGE_TEST_HOST}" {
		t.Errorf("configuration %v, error %v", c, err)
	}
}

// FuzzParse: any text has an answer, its faults stand in the file and in order, and what is taken holds.
func FuzzParse(f *testing.F) {
	for _, e := range examples(f) {
		f.Add([]byte(e.text))
	}
	faulty, err := os.ReadFile("testdata/faults.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(faulty)
	f.Add([]byte("a: &a [*a]\r\u2028--- \u0085"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := config.Parse("bridge.yaml", text)
		if err == nil {
			holds(t, c)
			return
		}
		var invalid *config.Error
		if !errors.As(err, &invalid) || len(invalid.Faults) == 0 || c != nil {
			t.Fatalf("error %v, configuration %v", err, c)
		}
		for i, f := range invalid.Faults {
			if f.File != "bridge.yaml" || f.Message == "" || f.Line < 0 || f.Line == 0 && f.Column != 0 {
				t.Errorf("fault %#v", f)
			}
			if i > 0 && f.Line < invalid.Faults[i-1].Line {
				t.Errorf("fault %v stands before %v", f, invalid.Faults[i-1])
			}
		}
	})
}

func holds(t *testing.T, c *configv1.Config) {
	if err := config.Check(c); err != nil {
		t.Errorf("what Parse takes, Check refuses: %v", err)
	}
}
