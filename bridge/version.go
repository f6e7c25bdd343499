package bridge

import "runtime/debug"

const modulePath = "github.com/mcpgrpc/bridge"

// Version returns the version of this module as the Go toolchain recorded it in the binary: the release that was
// required or installed or, where go build found version control, that of the checkout, which is its tag or else a
// pseudo-version such as v0.0.0-20260203040506-0123456789ab, with +dirty behind it when files were changed. It returns
// "devel" where nothing was recorded: in go test and go run, with -buildvcs=false, and without version control.
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
