package config

import (
	"fmt"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// literals finds the headers of a file whose names say that their values are secret, and whose values stand in it.
func literals(c *configv1.Config) []Fault {
	var found []Fault
	look := func(path string, headers []*configv1.Header) {
		for i, h := range headers {
			if _, ok := h.GetValue().(*configv1.Header_Literal); ok && backend.CarriesCredentials(h.GetName()) {
				found = append(found, Fault{
					Path: fmt.Sprintf("%s[%d].literal", path, i),
					Message: fmt.Sprintf("the value of %s is a secret, which must not stand in this file: give it as secret, "+
						"with env for a variable or file for a file", h.GetName()),
				})
			}
		}
	}
	for i, b := range c.GetBackends() {
		look(fmt.Sprintf("backends[%d].headers", i), b.GetHeaders())
		look(fmt.Sprintf("backends[%d].descriptors.reflection.headers", i), b.GetDescriptors().GetReflection().GetHeaders())
	}
	look("telemetry.otlp.headers", c.GetTelemetry().GetOtlp().GetHeaders())
	return found
}
