package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpgrpc/bridge/bridge/admin"
	"github.com/mcpgrpc/bridge/bridge/config"
)

func newHealth() *cobra.Command {
	address, timeout := config.DefaultAdminListen, 2*time.Second
	cmd := &cobra.Command{
		Use:   "health [flags]",
		Short: "Ask a running bridge whether it is ready",
		Long: `Ask a running bridge, at its admin listener, whether it is ready. The answer is one line, and the exit code 0 when it is and 1
when it is not or does not answer: as a container's health check wants it.`,
		Example: "  bridge health\n  bridge health --admin 127.0.0.1:8081 --timeout 500ms",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkProbe(address, timeout); err != nil {
				return err
			}
			report, err := probe(cmd.Context(), address, timeout)
			if err != nil {
				return err
			}
			return printHealth(cmd.OutOrStdout(), report)
		},
	}
	f := cmd.Flags()
	f.Var((*nonempty)(&address), "admin", "`host:port` of the admin listener")
	f.DurationVar(&timeout, "timeout", timeout, "how long to wait for the answer, as a `duration` such as 500ms")
	return cmd
}

// checkProbe refuses what cannot be asked.
func checkProbe(address string, timeout time.Duration) error {
	_, port, err := net.SplitHostPort(address)
	if n, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil || n == 0 {
		return usagef("--admin: %q is no address with a port from 1 to 65535; write host:port, such as %s", address, config.DefaultAdminListen)
	}
	if timeout <= 0 {
		return usagef("--timeout: must be greater than 0s")
	}
	return nil
}

// maxReport bounds what is read of an answer, in bytes; a backend takes about 100.
const maxReport = 1 << 20

// probe asks for /readyz. No proxy is between a bridge and its probe, whatever the environment says.
func probe(ctx context.Context, address string, timeout time.Duration) (*admin.Report, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/readyz", http.NoBody)
	if err != nil {
		return nil, usagef("--admin: %q is no address; write host:port, such as %s", address, config.DefaultAdminListen)
	}
	transport := &http.Transport{DisableKeepAlives: true}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return nil, unreachable(ctx, address, timeout, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxReport))
	if err != nil {
		return nil, unreachable(ctx, address, timeout, err)
	}
	var report admin.Report
	known := resp.StatusCode == http.StatusOK || resp.StatusCode == http.StatusServiceUnavailable
	if !known || json.Unmarshal(body, &report) != nil {
		return nil, fmt.Errorf("%s answers, with %q, but not as the admin listener of a bridge: give its address with --admin",
			address, resp.Status)
	}
	report.Ready = report.Ready && resp.StatusCode == http.StatusOK
	return &report, nil
}

// unreachable says why there is no answer. It leaves out what net/http and package net say before the reason.
func unreachable(ctx context.Context, address string, timeout time.Duration, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("%s has not answered within %v", address, timeout)
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		err = op.Err
	}
	return fmt.Errorf("no answer from %s: %s; start the bridge with --admin %s, or admin in its configuration, or correct --admin of this "+
		"command", address, strings.TrimPrefix(err.Error(), "connect: "), address)
}

// printHealth writes one line. A bridge that is not ready is an error that has been reported by it.
func printHealth(w io.Writer, r *admin.Report) error {
	line := "ready"
	if !r.Ready {
		line = "not ready"
	}
	for i, b := range r.Backends {
		state, before := "down", ", "
		if b.Up {
			state = "up"
		}
		if i == 0 {
			before = ": "
		}
		line += before + printable(b.Name) + " " + state
	}
	if _, err := fmt.Fprintln(w, line); err != nil {
		return err
	}
	if !r.Ready {
		return errReported
	}
	return nil
}
