package main

import (
	"errors"
	"regexp"
	"strings"

	"github.com/mcpgrpc/bridge/bridge/config"
)

// flags names the flag that fills each field of the configuration.
var flags = map[string]string{
	"backends.target":                             "--backend",
	"backends.plaintext":                          "--plaintext",
	"backends.tls.ca_file":                        "--tls-ca",
	"backends.tls.cert_file":                      "--tls-cert",
	"backends.tls.key_file":                       "--tls-key",
	"backends.tls.server_name":                    "--tls-server-name",
	"backends.deadline":                           "--deadline",
	"backends.max_message_bytes":                  "--max-message-size",
	"backends.headers":                            "--header",
	"backends.descriptors.reflection.headers":     "--reflection-header",
	"backends.descriptors.files.descriptor_set":   "--descriptor-set",
	"backends.descriptors.files.protos":           "--proto",
	"backends.descriptors.files.proto_paths":      "--proto-path",
	"backends.descriptors.overlay.descriptor_set": "--descriptor-set",
	"backends.descriptors.overlay.protos":         "--proto",
	"backends.descriptors.overlay.proto_paths":    "--proto-path",
	"backends.expose":                             "--expose",
	"backends.hide":                               "--hide",
	"backends.tools":                              "--tool-name",
	"backends.visibility":                         "--visibility",
	"backends.check_rules":                        "--no-rules",
	"server.listen":                               "--listen",
	"server.allow_hosts":                          "--allow-host",
	"server.allow_origins":                        "--allow-origin",
	"server.insecure_no_auth":                     "--insecure-no-auth",
	"limits.max_request_bytes":                    "--max-request-size",
	"server.drain_timeout":                        "--drain-timeout",
	"server.drain_delay":                          "--drain-delay",
	"admin.listen":                                "--admin",
	"telemetry.log.level":                         "--log-level",
	"telemetry.log.format":                        "--log-format",
	"reload":                                      "--reload",
	"profile":                                     "--profile",
	"mode":                                        "--mode",
	"output_schemas":                              "--no-output-schemas",
}

// words are the names of fields that messages of package config mention, and the flags that they stand for.
var words = map[string]string{
	"insecure_no_auth": "--insecure-no-auth",
	"cert_file":        "--tls-cert",
	"key_file":         "--tls-key",
	"protos":           "--proto",
	"proto_paths":      "--proto-path",
	"descriptor_set":   "--descriptor-set",
}

// inFlags calls by the names of their flags what reports and logs speak of in the words of the configuration. Of words that
// begin at the same place, the first here counts.
var inFlags = strings.NewReplacer(
	fewer, "offer fewer with --expose and --hide, or give --mode search",
	"expose pattern", "--expose pattern",
	"hide pattern", "--hide pattern",
	"offer fewer, by expose and hide, or all of them by way of three with the mode search", "offer fewer, by --expose and --hide, "+
		"or all of them by way of three with --mode search",
	"; name one in the visibility of its backend", "; name one with --visibility",
	"give it hints by bridge.v1 or the configuration", "give it hints by bridge.v1",
	"by bridge.v1 or the configuration", "by bridge.v1 or --tool-name",
	"or by the configuration", "or by --tool-name",
	"the name given for it by the configuration", "the name given for it by --tool-name",
	"what the configuration says of its tool does nothing", "--tool-name does nothing for it",
	"the configuration says something of the tool of this method", "--tool-name names the tool of this method",
)

// word matches what may be the name of a field, and whole quotations: a value that the user gave is not put into other
// words.
var word = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|[a-z_]+`)

// flagError says of a configuration that flags filled which flags are wrong.
func flagError(err error) error {
	var invalid *config.Error
	if !errors.As(err, &invalid) {
		return err
	}
	var texts []string
	for _, f := range invalid.Faults {
		message := word.ReplaceAllStringFunc(f.Message, func(name string) string {
			if flag, ok := words[name]; ok {
				return flag
			}
			return name
		})
		if flag := flagOf(f.Field()); flag != "" {
			message = flag + ": " + message
		}
		texts = append(texts, message)
	}
	return usagef("%s", strings.Join(texts, "; "))
}

// flagOf finds the flag of a field, or of the nearest field around it that has one.
func flagOf(field string) string {
	for field != "" {
		if flag, ok := flags[field]; ok {
			return flag
		}
		field = field[:max(strings.LastIndexByte(field, '.'), 0)]
	}
	return ""
}
