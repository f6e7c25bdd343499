package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/bridge/config"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// running is a bridge and all that is around it in this process. Its parts come in the order of the fields and go in the opposite
// one, so that the admin server can tell of the rest until the end.
type running struct {
	config    *configv1.Config
	logger    *slog.Logger
	admin     *adminServer // nil where there is none
	flush     time.Duration
	telemetry *telemetrySetup
	setup     *config.Setup
	bridge    *bridge.Bridge
	renewal   *renewal // nil where nothing is renewed
	stopped   bool     // it has served, and was told to stop
}

// open prepares all but the bridge. What there is has to be closed even after an error.
func (r *running) open(cmd *cobra.Command, c *configv1.Config, level slog.Level) (err error) {
	r.config, r.logger = c, newLogger(cmd, c.GetTelemetry().GetLog(), level)
	if r.admin, err = openAdmin(cmd.Context(), c.GetAdmin(), r.logger); err != nil {
		return err
	}
	if r.telemetry, err = startTelemetry(context.WithoutCancel(cmd.Context()), c, r.admin != nil, r.logger); err != nil {
		return err
	}
	if r.admin != nil {
		if err = r.admin.serve(c.GetAdmin(), r.telemetry.Metrics()); err != nil {
			return err
		}
	}
	r.setup, err = dial(cmd.Context(), c, r.telemetry.DialOptions()...)
	return err
}

// start makes the bridge. ctx bounds that alone.
func (r *running) start(ctx context.Context) (err error) {
	options := slices.Concat(r.setup.Options, r.telemetry.Options(), []bridge.Option{bridge.WithLogger(r.logger)})
	r.bridge, err = bridge.New(ctx, r.setup.Backends, options...)
	if err == nil && r.admin != nil {
		r.admin.subject.Store(r.bridge)
	}
	return err
}

// Close ends what there is.
func (r *running) Close() error {
	r.renewal.stop()
	var errs []error
	if r.bridge != nil {
		errs = append(errs, r.bridge.Close())
	}
	if r.setup != nil {
		errs = append(errs, r.setup.Close())
	}
	if r.telemetry != nil {
		ctx, cancel := context.WithTimeout(context.Background(), r.flush)
		defer cancel()
		r.telemetry.Shutdown(ctx)
	}
	if r.stopped && errors.Join(errs...) == nil {
		r.logger.Info("stopped")
	}
	return errors.Join(append(errs, r.admin.Close())...)
}

// serving is a bridge whose requests pass through other handlers first.
type serving struct {
	*bridge.Bridge

	handler http.Handler
}

// ServeHTTP serves one request.
func (s serving) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }
