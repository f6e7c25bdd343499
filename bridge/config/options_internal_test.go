package config

import (
	"bytes"
	"testing"

	"github.com/mcpgrpc/bridge/bridge"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// TestProfileIsPassedOn: the tools have the schemas of the profile that is chosen, portable ones where none is.
func TestProfileIsPassedOn(t *testing.T) {
	t.Parallel()
	backends := []bridge.Backend{{Descriptors: files(&configv1.Files{DescriptorSet: "../../services/library/library.binpb"})}}
	for profile, rich := range map[configv1.Profile]bool{
		configv1.Profile_PROFILE_UNSPECIFIED: false,
		configv1.Profile_PROFILE_PORTABLE:    false,
		configv1.Profile_PROFILE_RICH:        true,
	} {
		report, err := bridge.Inspect(t.Context(), backends, options(&configv1.Config{Profile: profile})...)
		if err != nil {
			t.Fatalf("%v: %v", profile, err)
		}
		if got := bytes.Contains(report.Tools[0].Definition, []byte(`"additionalProperties"`)); got != rich {
			t.Errorf("%v: additionalProperties %v, want %v: %s", profile, got, rich, report.Tools[0].Definition)
		}
	}
}
