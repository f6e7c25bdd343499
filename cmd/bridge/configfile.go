package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/config"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

func newConfig() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config command",
		Short: "Check a configuration file, or print the JSON Schema of such files",
		Long: `Check a configuration file, as --config of the other commands reads it, or print the JSON Schema of such files, for editors.
docs/config.md has an example for each setting.`,
		Example: "  bridge config check bridge.yaml\n  bridge config schema > bridge.schema.json",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("unknown command %q for %q: the commands are %s", args[0], cmd.CommandPath(), strings.Join(commandNames(cmd), ", "))
			}
			return cmd.Help()
		},
		Args: cobra.ArbitraryArgs,
	}
	cmd.AddCommand(newConfigCheck(), newConfigSchema())
	return cmd
}

func newConfigCheck() *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE",
		Short: "Say all that is wrong with a configuration file, with line and column",
		Long: `Say all that is wrong with a configuration file, each fault on a line of its own that begins with its place, and exit
with code 1 if there is any. Files and environment variables that the configuration names, and that are not there, are
warnings: they may be where it will run. A key that is there and too short is a fault. Nothing is connected to. A file that does not answer within 10 seconds, such
as a pipe that nobody writes to, is a fault.`,
		Example: "  bridge config check bridge.yaml",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return usagef("%d files: give one, as in %s bridge.yaml", len(args), cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := config.Read(args[0])
			if lines := inFile(err); lines != nil { // the place comes first, where editors look for it
				for _, line := range lines {
					fmt.Fprintln(cmd.ErrOrStderr(), printable(line))
				}
				return errReported
			}
			if err != nil {
				return err
			}
			for _, text := range absent(c) {
				fmt.Fprintf(cmd.ErrOrStderr(), "bridge: warning: %s: %s\n", args[0], text)
			}
			if unusable := config.Unusable(cmd.Context(), c); unusable != nil {
				for _, text := range unusable {
					fmt.Fprintln(cmd.ErrOrStderr(), printable(args[0]+": "+text))
				}
				return errReported
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: ok: %s\n", args[0], count(len(c.GetBackends()), "backend"))
			return err
		},
	}
}

func newConfigSchema() *cobra.Command {
	return &cobra.Command{
		Use:     "schema",
		Short:   "Print the JSON Schema of configuration files, for editors that complete and check them",
		Example: "  bridge config schema > bridge.schema.json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			schema, err := config.Schema()
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", strings.TrimSuffix(string(schema), "\n"))
			return err
		},
	}
}

// absent says which files and environment variables that a configuration names are not there: files in the order of the fields,
// then secrets.
func absent(c *configv1.Config) []string {
	var texts []string
	for i, b := range c.GetBackends() {
		note := func(field, text string) {
			if text != "" {
				texts = append(texts, fmt.Sprintf("backends[%d].%s: %s", i, field, text))
			}
		}
		note("tls.ca_file", noFile(b.GetTls().GetCaFile()))
		note("tls.cert_file", noFile(b.GetTls().GetCertFile()))
		note("tls.key_file", noFile(b.GetTls().GetKeyFile()))
		d := b.GetDescriptors()
		noDescriptors("descriptors.files", d.GetFiles(), note)
		noDescriptors("descriptors.overlay", d.GetOverlay(), note)
	}
	noSecrets(c.ProtoReflect(), "", func(field, text string) { texts = append(texts, field+": "+text) })
	return texts
}

// noFile says that a file is not there; "" where it is, or where none is named.
func noFile(path string) string {
	if path == "" {
		return ""
	}
	if _, err := os.Stat(path); err != nil {
		return fmt.Sprintf("%s is not there, or may not be seen", path)
	}
	return ""
}

// noSecrets notes the secrets in a message and below it that cannot be looked up; at is its path, "" for the whole.
func noSecrets(m protoreflect.Message, at string, note func(field, text string)) {
	if s, ok := m.Interface().(*configv1.Secret); ok {
		if text := noFile(s.GetFile()); text != "" {
			note(at+".file", text)
		}
		if name := s.GetEnv(); name != "" && os.Getenv(name) == "" {
			note(at+".env", fmt.Sprintf("environment variable %s is not set", name))
		}
		return
	}
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		field := fields.Get(i)
		if field.Message() == nil || field.IsMap() || !m.Has(field) {
			continue
		}
		path := strings.TrimPrefix(at+"."+string(field.Name()), ".")
		if !field.IsList() {
			noSecrets(m.Get(field).Message(), path, note)
			continue
		}
		for n, list := 0, m.Get(field).List(); n < list.Len(); n++ {
			noSecrets(list.Get(n).Message(), fmt.Sprintf("%s[%d]", path, n), note)
		}
	}
}

// noDescriptors notes the files of descriptors that are not there.
func noDescriptors(field string, f *configv1.Files, note func(field, text string)) {
	note(field+".descriptor_set", noFile(f.GetDescriptorSet()))
	for i, dir := range f.GetProtoPaths() {
		note(fmt.Sprintf("%s.proto_paths[%d]", field, i), noFile(dir))
	}
	for i, proto := range f.GetProtos() {
		candidates := []string{proto}
		for _, dir := range f.GetProtoPaths() {
			candidates = append(candidates, filepath.Join(dir, proto))
		}
		if !slices.ContainsFunc(candidates, func(path string) bool { return noFile(path) == "" }) {
			note(fmt.Sprintf("%s.protos[%d]", field, i), cmp.Or(noFile(proto), proto))
		}
	}
}
