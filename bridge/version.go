package bridge

import "runtime/debug"

const modulePath = "github.com/mcpgrpc/bridge"

// Version returns the version of this module as the Go toolchain recorded it in the binary, or "devel" where it
// recorded none (a build from a working tree).
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	if info.Main.Path == modulePath && released(info.Main.Version) {
		return info.Main.Version
	}
	for _, dep := range info.Deps {
		if dep.Path == modulePath && released(dep.Version) {
			return dep.Version
		}
	}
	return "devel"
}

func released(v string) bool { return v != "" && v != "(devel)" }
