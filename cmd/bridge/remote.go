package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// remotePatience is how long a server at --url may take without --deadline: longer than the deadline of a bridge there, so that
// its own words about it arrive.
const remotePatience = time.Minute

// remote holds the flags of a call to an MCP server that runs already.
type remote struct{ endpoint, traceURL string }

// register declares the flags.
func (r *remote) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Var((*nonempty)(&r.endpoint), "url",
		"call the MCP server at this `URL`, such as a running bridge's http://127.0.0.1:8080/mcp, instead of a backend")
	f.Var((*nonempty)(&r.traceURL), "trace-url",
		"with --url: print this `URL` with the trace's id for {trace_id}, such as 'http://localhost:16686/trace/{trace_id}', where "+
			"traces are sent from here or the server names that of a failure")
}

// check refuses flags of which one would silently be ignored, and URLs that are none.
func (r *remote) check(cmd *cobra.Command) error {
	if r.endpoint == "" {
		if r.traceURL != "" {
			return usagef("--trace-url is for calls that have a trace, those with --url: add that, or drop it")
		}
		return nil
	}
	var contrary []string
	own := &cobra.Command{}
	new(target).register(own)
	own.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "deadline" && cmd.Flags().Changed(f.Name) {
			contrary = append(contrary, "--"+f.Name)
		}
	})
	if contrary != nil {
		return usagef("--url and %s contradict each other: the server at --url has backends of its own; drop one of them",
			strings.Join(contrary, ", "))
	}
	if u, err := url.Parse(r.endpoint); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return usagef("--url %q: give the whole address of an MCP server, such as http://127.0.0.1:8080/mcp", r.endpoint)
	}
	if r.traceURL != "" && !strings.Contains(r.traceURL, traceIDMark) {
		return usagef("--trace-url %q has no place for the trace's id: write %s there", r.traceURL, traceIDMark)
	}
	return nil
}

// patience is how long the server may take for one round of a call: what --deadline says, if it is given.
func (*remote) patience(cmd *cobra.Command, deadline time.Duration) time.Duration {
	if cmd.Flags().Changed("deadline") {
		return deadline
	}
	return remotePatience
}

// callRemote makes one call of revision 2026-07-28 to the server at --url and prints what [call] would.
func callRemote(cmd *cobra.Command, r *remote, a *asker, patience time.Duration, tool string, args []string) (err error) {
	arguments, err := arguments(cmd, args)
	if err != nil {
		return err
	}
	logger := newLogger(cmd, nil, slog.LevelError)
	telemetry, err := startTelemetry(cmd.Context(), &configv1.Config{Telemetry: &configv1.Telemetry{}}, false, logger, ownName)
	if err != nil {
		return err
	}
	defer untilSignal(cmd)()
	ctx, span := beginCall(cmd.Context(), telemetry.TracerProvider(), r.endpoint, tool)
	client := newRemoteClient(r.endpoint)
	client.asker, client.patience = a, patience
	result, err := client.call(ctx, tool, arguments)
	span.end(result, err)
	telemetry.Shutdown(context.WithoutCancel(ctx))
	span.tell(cmd.ErrOrStderr(), r.traceURL, result)
	if err != nil {
		if !a.waits {
			err = remoteFailure(r.endpoint, err)
		}
		return interrupted(cmd.Context(), err, a.aftermath(": whether the server carried the call out is not known"))
	}
	if result.IsError {
		fmt.Fprintln(cmd.ErrOrStderr(), result.text())
		return errReported
	}
	a.warn()
	printed := result.printed()
	for _, w := range printed.Warnings {
		fmt.Fprintln(cmd.ErrOrStderr(), "bridge: warning: "+printable(w))
	}
	return printResult(cmd.OutOrStdout(), printed)
}

// remoteFailure says of which server an error is.
func remoteFailure(endpoint string, err error) error {
	if refusal := (rpcError{}); errors.As(err, &refusal) {
		return err
	}
	return fmt.Errorf("%s: %w", endpoint, err)
}

// newRemoteClient makes a client of the MCP server at endpoint. Redirections are not followed: a call goes where the user said.
func newRemoteClient(endpoint string) *remoteClient {
	return &remoteClient{endpoint: endpoint, http: &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}
