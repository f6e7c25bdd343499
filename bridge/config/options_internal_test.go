package config

import (
	"strings"
	"testing"

	"github.com/mcpgrpc/bridge/bridge"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// TestProfileIsPassedOn: the profile of a configuration is the bridge's to judge.
func TestProfileIsPassedOn(t *testing.T) {
	t.Parallel()
	backends := []bridge.Backend{{Descriptors: files(&configv1.Files{DescriptorSet: "../../services/library/library.binpb"})}}
	for profile, want := range map[configv1.Profile]string{
		configv1.Profile_PROFILE_UNSPECIFIED: "",
		configv1.Profile_PROFILE_PORTABLE:    "",
		configv1.Profile_PROFILE_RICH:        `schema profile "rich" is not available`,
	} {
		switch _, err := bridge.Inspect(t.Context(), backends, options(&configv1.Config{Profile: profile})...); {
		case want == "" && err != nil:
			t.Errorf("%v: %v", profile, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%v: error %v, want %q", profile, err, want)
		}
	}
}
