package config

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"

	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// maxFile bounds a configuration file, in bytes: 1 MiB.
const maxFile = 1 << 20

// Read reads a configuration file and checks it, as [Parse] does. What is wrong with the file itself is an *[Error] with one
// fault, too: so is one that has not been read within [ReadTimeout], such as a pipe that nobody writes to. Whoever reads the file
// again, or has a context, has [Reader.Read].
func Read(path string) (*configv1.Config, error) { return new(Reader).Read(context.Background(), path) }

// Parse checks the text of a configuration file in YAML, whose name is that of [Read]. All its faults are reported at once, as
// an *[Error], with their places: what is no YAML, and what is no configuration, by the rules of [Check] and those for files
// alone, which are that keys stand once, that there are no aliases, no tags and no second document, and that what is
// secret by its name is no text of the file. Fields are called as in config.proto or in lowerCamelCase. No error shows the
// value of a header.
//
// Relative paths of files in it are relative to the directory of the file, as what is returned says. Environment variables are
// read where a Secret names one, and nowhere else.
func Parse(name string, text []byte) (*configv1.Config, error) {
	root, found := document(text)
	if found == nil {
		c, checked, err := fill(root, text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if len(checked) == 0 {
			anchor(c, filepath.Dir(name))
			return c, nil
		}
		found = checked
	}
	for i := range found {
		found[i].File = name
	}
	return nil, &Error{found}
}

// anchor makes the paths of a configuration that come from a file in dir independent of where the program runs.
func anchor(c *configv1.Config, dir string) {
	for _, b := range c.GetBackends() {
		if t := b.GetTls(); t != nil {
			t.CaFile, t.CertFile, t.KeyFile = below(dir, t.GetCaFile()), below(dir, t.GetCertFile()), below(dir, t.GetKeyFile())
		}
		anchorHeaders(b.GetHeaders(), dir)
		anchorHeaders(b.GetDescriptors().GetReflection().GetHeaders(), dir)
		anchorFiles(b.GetDescriptors().GetFiles(), dir)
		anchorFiles(b.GetDescriptors().GetOverlay(), dir)
	}
	anchorHeaders(c.GetTelemetry().GetOtlp().GetHeaders(), dir)
	anchorSecret(c.GetInteraction().GetStateKey(), dir)
	for _, key := range c.GetInteraction().GetOldStateKeys() {
		anchorSecret(key, dir)
	}
}

func anchorHeaders(headers []*configv1.Header, dir string) {
	for _, h := range headers {
		anchorSecret(h.GetSecret(), dir)
	}
}

func anchorSecret(secret *configv1.Secret, dir string) {
	if s, ok := secret.GetSource().(*configv1.Secret_File); ok {
		s.File = below(dir, s.File)
	}
}

func anchorFiles(f *configv1.Files, dir string) {
	if f == nil {
		return
	}
	f.DescriptorSet = below(dir, f.GetDescriptorSet())
	for i, path := range f.GetProtoPaths() {
		f.ProtoPaths[i] = below(dir, path)
	}
	if len(f.GetProtos()) > 0 && len(f.GetProtoPaths()) == 0 {
		f.ProtoPaths = []string{dir}
	}
}

// below is a path seen from dir; "" stays nothing.
func below(dir, path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// breaks counts the line breaks of YAML that are none elsewhere.
func breaks(text []byte) int {
	n := bytes.Count(text, []byte("\r"))
	for _, s := range []string{"\u0085", "\u2028", "\u2029"} {
		n += bytes.Count(text, []byte(s))
	}
	return n
}
