package schema_test

import (
	"strings"
	"testing"
)

// TestFullTellsWhatInputCannot compares both for the largest request of bigquery, of which a listing has stubs.
func TestFullTellsWhatInputCannot(t *testing.T) {
	t.Parallel()
	methods := corpus(t)["googleapis_bigquery"]
	for _, s := range portable(t, methods) {
		if s.FullName() != "google.cloud.bigquery.v2.JobService.InsertJob" {
			continue
		}
		short, full := s.generator.Input(s.Input()), s.generator.Full(s.Input())
		below := []string{`"kmsKeyName":`, `"keyResultStatement":`, `"parameterType":`}
		contains(t, short.JSON, []string{"TableReference with required"}, below)
		contains(t, full.JSON, below, []string{"TableReference with required"})
		contains(t, []byte(strings.Join(short.Cuts, "; ")), []string{"not expanded: JobConfigurationExtract"}, nil)
		contains(t, []byte(strings.Join(full.Cuts, "; ")), []string{"messages below depth 5 not expanded"}, []string{"JobConfigurationExtract"})
		if len(full.JSON) > 16<<10 {
			t.Errorf("%d bytes", len(full.JSON))
		}
	}
}

// TestFullIsTheSameTwice for all of an API, and the same as Input in the rich profile.
func TestFullIsTheSameTwice(t *testing.T) {
	t.Parallel()
	methods := corpus(t)["googleapis_pubsub_v1"]
	g, rich := portable(t, methods), richGenerator(t, methods)
	for _, s := range g {
		full := s.generator.Full(s.Input())
		scan(t, s.MethodDescriptor, full.JSON, s.output(nil))
		if again := s.generator.Full(s.Input()); string(full.JSON) != string(again.JSON) {
			t.Errorf("%s: other bytes", s.FullName())
		}
		if full.Cuts != nil || len(full.JSON) > 16<<10 {
			t.Errorf("%s: %d bytes, cuts %q", s.FullName(), len(full.JSON), full.Cuts)
		}
		if string(rich.Full(s.Input()).JSON) != string(rich.Input(s.Input()).JSON) {
			t.Errorf("%s: not what Input returns in the rich profile", s.FullName())
		}
	}
}

// TestFullTellsWholeTexts where a listing has room for the first sentence.
func TestFullTellsWholeTexts(t *testing.T) {
	t.Parallel()
	text := `syntax = "proto3"; package x; message M {` + "\n" + fieldsOf(30, prose, "string f%d = %[1]d;") + `}` + service
	s := portable(t, methodsOf(source(t, text)))[0]
	full := s.generator.Full(s.Input())
	if n := strings.Count(string(full.JSON), "and is the first to go"); n != 30 || full.Cuts != nil {
		t.Errorf("%d whole texts, cuts %q", n, full.Cuts)
	}
	contains(t, s.input(), nil, []string{"and is the first to go"})
}
