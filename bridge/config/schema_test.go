package config_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/mcpgrpc/bridge/bridge/config"
)

// compiled is the schema of the file, compiled.
func compiled(t testing.TB) *jsonschema.Schema {
	t.Helper()
	text, err := config.Schema()
	if err != nil {
		t.Fatal(err)
	}
	again, err := config.Schema()
	if err != nil || !bytes.Equal(text, again) {
		t.Fatalf("a second schema differs, error %v", err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("bridge.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("bridge.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// admits says what a schema says of a text in YAML.
func admits(t testing.TB, s *jsonschema.Schema, text string) error {
	t.Helper()
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	doc, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(instance)
}

func TestSchemaAdmitsExamples(t *testing.T) {
	t.Parallel()
	s := compiled(t)
	for _, e := range examples(t) {
		if err := admits(t, s, e.text); err != nil {
			t.Errorf("%s: %v", e.name, err)
		}
	}
}

func TestSchemaRefuses(t *testing.T) {
	t.Parallel()
	s := compiled(t)
	for _, text := range []string{
		"backend: []",
		"backends: []",
		"backends: [{headres: []}]",
		"backends: [{deadline: 30}]",
		"backends: [{deadline: 30 seconds}]",
		"backends: [{maxMessageBytes: 1}]",
		"backends: [{name: Library}]",
		"backends: [{plaintext: {x: 1}}]",
		"backends: [{headers: [{name: x, literl: y}]}]",
		"backends: [{quota: {per_second: -1}}]",
		"backends: [{retry: {max_attempts: 6}}]",
		"backends: [{retry: {idempotent: library.v1.*}}]",
		"mode: search",
		"telemetry: {log: {level: DEBUG}}",
		"telemetry: {sample_ratio: 2}",
		"[]",
	} {
		if admits(t, s, text) == nil {
			t.Errorf("the schema admits %s", text)
		}
	}
}

// TestSchemaTells: whoever writes the file sees what keys mean.
func TestSchemaTells(t *testing.T) {
	t.Parallel()
	text, err := config.Schema()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"$schema": "https://json-schema.org/draft/2020-12/schema"`, `"title": "Configuration of the bridge"`,
		"Time that one call may take. Default: 30s.", "READINESS_ALL", "What the model reads.", `"max_request_bytes"`,
	} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("the schema lacks %s", want)
		}
	}
}
