package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/bridge/config"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// renewal has a running bridge serve what its configuration has become: with each SIGHUP, and when the file of the configuration
// has changed, if there is an interval for looking at it. The secrets, the certificates and, after a signal, the descriptors are
// read again as well. A configuration that does not hold changes nothing. One that holds, and cannot be served for what it names,
// such as a secret that is not there or a backend that is down, is tried again until it can be, or is another one.
type renewal struct {
	r     *running
	load  func() (*configv1.Config, error)
	file  string // "" where flags say it all
	files config.Reader
	seen  [sha256.Size]byte // the sum of what the file held when it was read last

	pause time.Duration // before it is tried again; zero where it is not
	told  string        // why it could not be served, when that was logged last

	hangup   chan os.Signal
	terminal bool // there is one, whose end is that of the process
	cancel   context.CancelFunc
	loop     sync.WaitGroup
}

// newRenewal prepares a renewal. From here on a SIGHUP does not end the process, and is followed once run is called; only that of
// a terminal that is closed is taken for a SIGTERM.
func newRenewal(load func() (*configv1.Config, error), file string) *renewal {
	n := &renewal{load: load, file: file, hangup: make(chan os.Signal, 1), cancel: func() {}}
	n.terminal = hasTerminal() && !signal.Ignored(syscall.SIGHUP) // as nohup has it
	signal.Notify(n.hangup, syscall.SIGHUP)
	return n
}

// read returns what the configuration is now.
func (n *renewal) read(ctx context.Context) (*configv1.Config, error) {
	if n.file != "" {
		n.seen = n.files.Sum(ctx, n.file) // before it is read: what is written in between is seen the next time
	}
	return n.load()
}

// run follows r until stop.
func (n *renewal) run(r *running) {
	ctx, cancel := context.WithCancel(context.Background())
	n.r, n.cancel = r, cancel
	r.renewal = n
	n.loop.Go(func() { n.follow(ctx) })
}

// stop ends it, and waits for what is under way; a nil renewal has nothing to end.
func (n *renewal) stop() {
	if n == nil {
		return
	}
	signal.Stop(n.hangup)
	n.cancel()
	n.loop.Wait()
}

func (n *renewal) follow(ctx context.Context) {
	var tick, again <-chan time.Time
	if every := n.r.config.GetReload().AsDuration(); every > 0 && n.file != "" {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		tick = ticker.C
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick:
			if n.files.Sum(ctx, n.file) == n.seen {
				continue
			}
			n.renew(ctx, "the file has changed")
		case <-again:
			n.renew(ctx, "it can be served now")
		case <-n.hangup:
			if n.terminal && !hasTerminal() {
				endSelf(n.r.logger)
				return
			}
			if n.renew(ctx, "SIGHUP") {
				n.describe(ctx)
			}
		}
		if again = nil; n.pause > 0 {
			again = time.After(n.pause)
		}
	}
}

// hasTerminal reports whether this process has a terminal, which sends SIGHUP when it is closed.
func hasTerminal() bool {
	f, err := os.OpenFile("/dev/tty", os.O_RDONLY, 0)
	if err != nil {
		return false
	}
	_ = f.Close() // nothing was written
	return true
}

// endSelf does what SIGTERM does: nobody who could send one sees this process any more.
func endSelf(logger *slog.Logger) {
	p, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = p.Signal(syscall.SIGTERM)
	}
	if err != nil {
		logger.Error("the terminal is gone, and the process cannot be ended", "error", err)
	}
}

// renew reads the configuration and serves it; false where it does not hold or cannot be served, which the log says.
func (n *renewal) renew(ctx context.Context, why string) bool {
	log := n.r.logger
	c, err := n.read(ctx)
	if err == nil {
		err = n.swap(ctx, c)
	}
	if err != nil {
		if ctx.Err() == nil { // else it is the end
			n.refused(err)
			n.r.telemetry.countReload(ctx, reloadRefused)
		}
		return false
	}
	n.pause, n.told = 0, ""
	for _, name := range config.NeedsRestart(n.r.config, c) {
		log.Warn("this setting has changed, and holds from the next start on", "setting", name)
	}
	n.r.telemetry.countReload(ctx, reloadRenewed)
	told := []any{"why", why, "backends", len(n.r.setup.Backends), "tools", len(n.r.bridge.Report().Tools)}
	if unread := n.r.bridge.Unread(); len(unread) > 0 {
		told = append(told, "unread", strings.Join(unread, ", "))
	}
	log.Info("configuration renewed", told...)
	return true
}

// swap has the bridge serve the backends of a configuration.
func (n *renewal) swap(ctx context.Context, c *configv1.Config) error {
	next, err := n.r.setup.NextContext(ctx, c)
	if err != nil {
		return err
	}
	if err := n.r.bridge.Replace(ctx, next.Backends); err != nil {
		return errors.Join(err, next.Close())
	}
	n.r.setup = next
	return nil
}

// describe reads the descriptors of all backends again, those that the renewal left alone too. A backend that has never been read
// is no failure of that: it is read on, and the log has said so.
func (n *renewal) describe(ctx context.Context) {
	err := n.r.bridge.Reload(ctx)
	if err == nil || ctx.Err() != nil {
		return
	}
	for _, err := range each(err) {
		var one *bridge.BackendError
		switch {
		case !errors.As(err, &one):
			n.r.logger.Error("reload failed; what could not be read stays as it was", "error", err)
		case !one.Unread:
			n.r.logger.Error("the descriptors of a backend cannot be read again; its last ones stay", "backend", one.Backend, "error", one.Err)
		}
	}
}

// each returns the errors that have been joined to one, at whatever depth.
func each(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, one := range joined.Unwrap() {
		all = append(all, each(one)...)
	}
	return all
}

// minAgain and maxAgain bound the time before a configuration that could not be served is tried again; it doubles from one to the
// other.
const minAgain, maxAgain = time.Second, time.Minute

// refused logs what is wrong: a line for each fault of a file, which waits for another file, or once why the configuration cannot
// be served yet.
func (n *renewal) refused(err error) {
	if faults := inFile(err); faults != nil {
		n.pause, n.told = 0, ""
		for _, f := range faults {
			n.r.logger.Error("the configuration does not hold; the last good one stays", slog.String("error", f))
		}
		return
	}
	n.pause = min(max(2*n.pause, minAgain), maxAgain)
	if text := oneLine(err); text != n.told {
		n.told = text
		n.r.logger.Error("the configuration cannot be served yet; the last good one stays, and it is tried again", slog.String("error", text))
	}
}
