package config_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/bridge/config"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// asking is a configuration of questions alone.
func asking(i *configv1.Interaction) *configv1.Config {
	return &configv1.Config{
		Interaction: i,
		Backends: []*configv1.Backend{{
			Target: "localhost:50051", Transport: &configv1.Backend_Plaintext{},
			Descriptors: &configv1.Descriptors{Source: &configv1.Descriptors_Files{Files: &configv1.Files{DescriptorSet: librarySet}}},
		}},
	}
}

// keyOf is the secret in a file with a text.
func keyOf(t *testing.T, text string) *configv1.Secret {
	t.Helper()
	return &configv1.Secret{Source: &configv1.Secret_File{File: write(t, text)}}
}

// TestInteraction: what is said of questions and streams is taken on.
func TestInteraction(t *testing.T) {
	t.Parallel()
	key := strings.Repeat("k", bridge.MinStateKeyBytes)
	c := asking(&configv1.Interaction{
		StateKey: keyOf(t, key+"\n"), OldStateKeys: []*configv1.Secret{keyOf(t, key)},
		StateLifetime: durationpb.New(time.Minute), AnswerTimeout: durationpb.New(time.Minute), MaxRounds: 3,
	})
	plain, err := config.Dial(asking(nil))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { plain.Close() })
	c.Tasks = &configv1.Tasks{Ttl: durationpb.New(time.Minute), MaxTasks: 7, PollInterval: durationpb.New(time.Second)}
	c.Limits = &configv1.Limits{MaxStreamMessages: 5, MaxStreamBytes: 5000}
	setup, err := config.Dial(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { setup.Close() })
	if added := len(setup.Options) - len(plain.Options); added != 7 {
		t.Errorf("%d options more, not 7", added)
	}
	b, err := bridge.New(t.Context(), setup.Backends, setup.Options...)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

// TestUnusable: keys that are there and too short are found before they are used, and others are none of them.
func TestUnusable(t *testing.T) {
	t.Parallel()
	long, short := keyOf(t, strings.Repeat("hunter2", 8)), keyOf(t, "hunter2")
	nowhere := &configv1.Secret{Source: &configv1.Secret_File{File: "/nowhere"}}
	for name, c := range map[string]struct {
		given *configv1.Interaction
		want  []string
	}{
		"none":  {nil, nil},
		"sound": {&configv1.Interaction{StateKey: long, OldStateKeys: []*configv1.Secret{nowhere}}, nil},
		"short": {
			&configv1.Interaction{StateKey: short, OldStateKeys: []*configv1.Secret{long, nowhere, short}},
			[]string{
				`interaction.state_key: has 7 bytes: a key has at least 32, such as those of "openssl rand -hex 32"`,
				`interaction.old_state_keys[2]: has 7 bytes: a key has at least 32, such as those of "openssl rand -hex 32"`,
			},
		},
	} {
		if got := config.Unusable(t.Context(), asking(c.given)); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// TestInteractionRefused: keys that cannot be are told, and never shown.
func TestInteractionRefused(t *testing.T) {
	t.Parallel()
	long := keyOf(t, strings.Repeat("hunter2", 8))
	for name, c := range map[string]struct {
		given *configv1.Interaction
		want  string
	}{
		"short key": {&configv1.Interaction{StateKey: keyOf(t, "hunter2")}, "interaction.state_key: has 7 bytes: a key has at least 32"},
		"no file": {
			&configv1.Interaction{StateKey: &configv1.Secret{Source: &configv1.Secret_File{File: "/nowhere"}}},
			"interaction.state_key: read the secret: open /nowhere",
		},
		"short old key": {
			&configv1.Interaction{StateKey: long, OldStateKeys: []*configv1.Secret{long, keyOf(t, "hunter2")}},
			"interaction.old_state_keys[1]: has 7 bytes",
		},
		"no variable": {
			&configv1.Interaction{StateKey: &configv1.Secret{Source: &configv1.Secret_Env{Env: "BRIDGE_TEST_UNSET"}}},
			"export it, or take the key away",
		},
		"old keys alone": {
			&configv1.Interaction{OldStateKeys: []*configv1.Secret{long}}, "interaction.old_state_keys: needs a state_key beside it",
		},
		"short lifetime":  {&configv1.Interaction{StateLifetime: durationpb.New(time.Millisecond)}, "interaction.state_lifetime: "},
		"no time":         {&configv1.Interaction{AnswerTimeout: durationpb.New(0)}, "interaction.answer_timeout: "},
		"too many rounds": {&configv1.Interaction{MaxRounds: 1001}, "interaction.max_rounds: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := config.Dial(asking(c.given))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v, not %q", err, c.want)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error shows the key: %v", err)
			}
		})
	}
}
