package config

import (
	"github.com/mcpgrpc/bridge/bridge"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// options translates what is said of the bridge itself; what is not said keeps the bridge's default.
func options(c *configv1.Config) []bridge.Option {
	list := []bridge.Option{
		bridge.WithReload(c.GetReload().AsDuration()),
		bridge.WithAllowedHosts(c.GetServer().GetAllowHosts()...),
		bridge.WithAllowedOrigins(c.GetServer().GetAllowOrigins()...),
	}
	if name := profileName(c.GetProfile()); name != "" {
		list = append(list, bridge.WithProfile(bridge.Profile(name)))
	}
	if c.GetMode() == configv1.Mode_MODE_SEARCH {
		list = append(list, bridge.WithMode(bridge.ModeSearch))
	}
	if c.OutputSchemas != nil && !c.GetOutputSchemas() {
		list = append(list, bridge.WithoutOutputSchemas())
	}
	if c.GetCallerQuota() != nil {
		list = append(list, bridge.WithCallerQuota(quota(c.GetCallerQuota())))
	}
	if n := c.GetLimits().GetMaxRequestBytes(); n > 0 {
		list = append(list, bridge.WithMaxRequestBytes(n))
	}
	if n := c.GetLimits().GetMaxResultBytes(); n > 0 {
		list = append(list, bridge.WithMaxResultBytes(int(n)))
	}
	list = append(list, sessionOptions(c.GetLimits())...)
	list = append(list, streamOptions(c.GetLimits())...)
	list = append(list, taskOptions(c.GetTasks())...)
	return append(list, interactionOptions(c.GetInteraction())...)
}

// sessionOptions translates the limits of sessions, streams and calls.
func sessionOptions(l *configv1.Limits) []bridge.Option {
	var list []bridge.Option
	if n := l.GetMaxSessions(); n > 0 {
		list = append(list, bridge.WithMaxSessions(int(n)))
	}
	if l.GetSessionIdle() != nil {
		list = append(list, bridge.WithSessionIdle(l.GetSessionIdle().AsDuration()))
	}
	if n := l.GetMaxStreams(); n > 0 {
		list = append(list, bridge.WithMaxStreams(int(n)))
	}
	if n := l.GetMaxCalls(); n > 0 {
		list = append(list, bridge.WithMaxCalls(int(n)))
	}
	return list
}

// quota translates the bounds of a quota; there are none where there is no message.
func quota(q *configv1.Quota) bridge.Quota {
	return bridge.Quota{InFlight: int(q.GetInFlight()), PerSecond: q.GetPerSecond(), Burst: int(q.GetBurst())}
}
