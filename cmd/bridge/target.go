package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/mcpgrpc/bridge/bridge/config"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// target holds the flags that say which backend is meant and how it is reached.
type target struct {
	file                                           string
	backend, tlsCA, tlsCert, tlsKey, tlsServerName string
	plaintext, reflection                          bool
	headers, reflectionHeaders                     []string
	deadline                                       time.Duration
	maxMessage                                     size
	descriptorSet                                  string
	protoPaths, protos                             []string
	expose, hide, visibility, toolNames            []string
	profile, mode                                  string
	noRules, noOutput                              bool
}

// register declares the flags of a target.
func (t *target) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	f.Var((*nonempty)(&t.file), configFlag, "read all from this YAML `file`, any number of backends, instead of the flags of one backend")
	f.Var((*nonempty)(&t.backend), "backend", "the gRPC server, `host:port`")
	f.BoolVar(&t.plaintext, "plaintext", false, "connect without TLS")
	f.Var((*nonempty)(&t.tlsCA), "tls-ca", "PEM `file` of the certificate authorities to trust (default: the system's)")
	f.Var((*nonempty)(&t.tlsCert), "tls-cert", "PEM `file` of the client certificate")
	f.Var((*nonempty)(&t.tlsKey), "tls-key", "PEM `file` of the client certificate's key")
	f.Var((*nonempty)(&t.tlsServerName), "tls-server-name", "`name` that the server's certificate must carry (default: the backend's host)")
	f.StringArrayVar(&t.headers, "header", nil, "metadata sent with each call: `name=value`, name=@file or name=env:VARIABLE; may be repeated")
	f.StringArrayVar(&t.reflectionHeaders, "reflection-header", nil,
		"metadata for reflection alone: `name=value` as in --header, whose values are sent there too; may be repeated")
	f.DurationVar(&t.deadline, "deadline", 30*time.Second, "how long one call may take, as a `duration` such as 30s or 2m")
	t.maxMessage = 4 << 20
	f.Var(&t.maxMessage, "max-message-size", "largest gRPC message sent or received, as a `size` such as 4MiB or 512KiB")
	f.Var((*nonempty)(&t.descriptorSet), "descriptor-set",
		"read descriptors from a FileDescriptorSet or buf image in this `file` instead of by reflection")
	f.StringArrayVar(&t.protos, "proto", nil, "read descriptors from this .proto `file` instead of by reflection; may be repeated")
	f.StringArrayVar(&t.protoPaths, "proto-path", nil, "`directory` in which --proto files and their imports are looked up; may be repeated")
	f.BoolVar(&t.reflection, "reflection", false, "use reflection in spite of --descriptor-set or --proto, and take only comments from these")
	f.StringArrayVar(&t.expose, "expose", nil,
		"offer only methods whose full name matches this `glob`, such as library.v1.* (* is any run of characters, ? is one); may be repeated")
	f.StringArrayVar(&t.hide, "hide", nil, "never offer methods whose full name matches this `glob`, exposed or not; may be repeated")
	t.profile = "portable"
	f.Var((*nonempty)(&t.profile), "profile",
		"`name` of the form of the tools' schemas: portable, which every client takes, or rich, which says more")
	t.mode = "tools"
	f.Var((*nonempty)(&t.mode), "mode",
		"`name` of the way in which clients find the tools: tools, which lists all, or search, which lists three that find and call them")
	t.registerOffer(cmd)
}

// registerOffer declares the flags that change what is made of the methods.
func (t *target) registerOffer(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&t.visibility, "visibility", nil,
		"offer also what google.api.visibility shows to this `label` alone, such as PREVIEW; may be repeated")
	f.StringArrayVar(&t.toolNames, "tool-name", nil,
		"pin the name of a tool, as `method=name`, such as library.v1.LibraryService.GetBook=get_book; may be repeated")
	f.BoolVar(&t.noRules, "no-rules", false, "leave it to the backend to hold requests against the rules of buf.validate")
	f.BoolVar(&t.noOutput, "no-output-schemas", false, "leave the tools' output schemas out, for clients that cannot do with them")
}

// config returns what the file of --config says, or fills a configuration with what the flags say. offline allows a target
// without a backend. All errors of flags are usage errors that name them.
func (t *target) config(cmd *cobra.Command, offline bool) (*configv1.Config, error) {
	if t.file != "" {
		return t.read(cmd, offline)
	}
	if err := t.contradictions(cmd, offline); err != nil {
		return nil, err
	}
	backend, err := t.backendConfig(cmd)
	if err != nil {
		return nil, err
	}
	c := &configv1.Config{Backends: []*configv1.Backend{backend}}
	switch t.profile {
	case "portable":
		c.Profile = configv1.Profile_PROFILE_PORTABLE
	case "rich":
		c.Profile = configv1.Profile_PROFILE_RICH
	default:
		return nil, usagef("--profile %q: choose portable or rich", t.profile)
	}
	switch t.mode {
	case "tools":
		c.Mode = configv1.Mode_MODE_TOOLS
	case "search":
		c.Mode = configv1.Mode_MODE_SEARCH
	default:
		return nil, usagef("--mode %q: choose tools or search", t.mode)
	}
	if t.noOutput {
		c.OutputSchemas = new(false)
	}
	return c, nil
}

// contradictions refuses combinations of flags of which one would silently be ignored.
func (t *target) contradictions(cmd *cobra.Command, offline bool) error {
	if t.backend == "" && (!offline || !t.files()) {
		return t.missing(cmd, offline)
	}
	for _, name := range []string{"tls-ca", "tls-cert", "tls-key", "tls-server-name"} {
		if t.plaintext && cmd.Flags().Changed(name) {
			return usagef("--plaintext and --%s contradict each other: drop one of them", name)
		}
	}
	return t.checkDescriptors()
}

// files reports whether files say what the backend offers.
func (t *target) files() bool { return t.descriptorSet != "" || len(t.protos) > 0 }

// checkDescriptors refuses flags that leave it open where descriptors come from.
func (t *target) checkDescriptors() error {
	switch {
	case t.descriptorSet != "" && len(t.protos) > 0:
		return usagef("--descriptor-set and --proto both say where descriptors come from: drop one of them")
	case len(t.protoPaths) > 0 && len(t.protos) == 0:
		return usagef("--proto-path says where to look for --proto files, and there is none: add --proto")
	case t.reflection && !t.files():
		return usagef("--reflection lays the comments of --descriptor-set or --proto over reflection: add one of these, or drop it " +
			"(reflection is the default)")
	case t.files() && !t.reflection && len(t.reflectionHeaders) > 0:
		return usagef("--reflection-header is of no use without reflection: drop it, or add --reflection to take only comments from the files")
	case t.reflection && t.backend == "":
		return usagef("--reflection asks the backend, and there is none: add --backend host:port")
	}
	return nil
}

// missing says what a target is.
func (t *target) missing(cmd *cobra.Command, offline bool) error {
	if offline {
		return usagef("no target: give --config file, --backend host:port (with --plaintext if it has no TLS), --descriptor-set file or "+
			"--proto file; see %s --help", cmd.CommandPath())
	}
	return usagef("no target: give --config file, or --backend host:port, with --plaintext if it has no TLS; see %s --help", cmd.CommandPath())
}

func (t *target) backendConfig(cmd *cobra.Command) (*configv1.Backend, error) {
	headers, err := parseHeaders("header", t.headers)
	if err != nil {
		return nil, err
	}
	descriptors, err := t.descriptors()
	if err != nil {
		return nil, err
	}
	tools, err := parseToolNames(t.toolNames)
	if err != nil {
		return nil, err
	}
	b := &configv1.Backend{
		Target:          t.backend,
		Headers:         headers,
		MaxMessageBytes: int64(t.maxMessage),
		Descriptors:     descriptors,
		Expose:          t.expose,
		Hide:            t.hide,
		Tools:           tools,
		Visibility:      t.visibility,
		Transport: &configv1.Backend_Tls{Tls: &configv1.Tls{
			CaFile: t.tlsCA, CertFile: t.tlsCert, KeyFile: t.tlsKey, ServerName: t.tlsServerName,
		}},
	}
	if t.plaintext {
		b.Transport = &configv1.Backend_Plaintext{Plaintext: &configv1.Plaintext{}}
	}
	if t.noRules {
		b.CheckRules = new(false)
	}
	if cmd.Flags().Changed("deadline") {
		b.Deadline = durationpb.New(t.deadline)
	}
	return b, nil
}

// descriptors says where descriptors are read.
func (t *target) descriptors() (*configv1.Descriptors, error) {
	headers, err := parseHeaders("reflection-header", t.reflectionHeaders)
	if err != nil {
		return nil, err
	}
	files := &configv1.Files{DescriptorSet: t.descriptorSet, Protos: t.protos, ProtoPaths: t.protoPaths}
	d := &configv1.Descriptors{}
	if t.files() && !t.reflection {
		d.Source = &configv1.Descriptors_Files{Files: files}
		return d, nil
	}
	d.Source = &configv1.Descriptors_Reflection{Reflection: &configv1.Reflection{Headers: headers}}
	if t.files() {
		d.Overlay = files
	}
	return d, nil
}

// dial checks a configuration, of which a file has been checked already, and makes it usable. ctx bounds the reading of the files
// that it names.
func dial(ctx context.Context, c *configv1.Config, options ...grpc.DialOption) (*config.Setup, error) {
	if err := config.Check(c); err != nil {
		return nil, flagError(err)
	}
	return config.DialContext(ctx, c, options...)
}
