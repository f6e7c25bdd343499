package main

import (
	"errors"
	"regexp"
	"strings"

	"github.com/mcpgrpc/bridge/bridge/config"
)

// flags names the flag that fills each field of the configuration.
var flags = map[string]string{
	"backends.target":                         "--backend",
	"backends.deadline":                       "--deadline",
	"backends.max_message_bytes":              "--max-message-size",
	"backends.headers":                        "--header",
	"backends.descriptors.reflection.headers": "--reflection-header",
	"backends.expose":                         "--expose",
	"backends.hide":                           "--hide",
	"server.listen":                           "--listen",
	"server.allow_hosts":                      "--allow-host",
	"server.allow_origins":                    "--allow-origin",
	"reload":                                  "--reload",
	"profile":                                 "--profile",
}

// words replaces names of fields in messages by those of flags.
var words = strings.NewReplacer(
	"insecure_no_auth", "--insecure-no-auth",
	"cert_file", "--tls-cert",
	"key_file", "--tls-key",
	"proto_paths", "--proto-path",
	"descriptor_set", "--descriptor-set",
)

var index = regexp.MustCompile(`\[\d+\]`)

// flagError says of a configuration that flags filled which flags are wrong.
func flagError(err error) error {
	var invalid *config.Error
	if !errors.As(err, &invalid) {
		return err
	}
	var texts []string
	for _, f := range invalid.Faults {
		message := words.Replace(f.Message)
		if flag := flagOf(index.ReplaceAllString(f.Path, "")); flag != "" {
			message = flag + ": " + message
		}
		texts = append(texts, message)
	}
	return usagef("%s", strings.Join(texts, "; "))
}

// flagOf finds the flag of a field, or of the nearest field around it that has one.
func flagOf(path string) string {
	for path != "" {
		if flag, ok := flags[path]; ok {
			return flag
		}
		path = path[:max(strings.LastIndexByte(path, '.'), 0)]
	}
	return ""
}
