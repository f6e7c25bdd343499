package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Who is called, as in the tables.
const (
	directGRPC  = "direct gRPC"
	restHandler = "grpc-gateway REST"
	sdk         = "Go SDK server"
	bridge      = "bridge"
)

// targets are those of the first table, and others those that the bridge is held against.
var (
	others  = []string{directGRPC, restHandler, sdk}
	targets = []string{directGRPC, restHandler, sdk, bridge}
)

// The bridges of the second table.
const (
	traceOff       = "no telemetry"
	traceUnsampled = "unsampled"
	traceSampled   = "sampled"
)

var traced = []string{traceOff, traceUnsampled, traceSampled}

// tracedClients is how many clients call at once in the second table.
const tracedClients = 16

// cell is a place of a table.
type cell struct {
	target, size string
	clients      int
}

// series are the outcomes of each cell, one for each round, in the order of the rounds.
type series map[cell][]outcome

// bench measures both tables and writes them.
func bench(ctx context.Context, s settings, stdout, stderr io.Writer) error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // what is left is a folder of logs
	program, err := s.program(ctx, dir)
	if err != nil {
		return err
	}
	about, began := describe(s), time.Now()
	calls, traces := series{}, series{}
	for round := range s.rounds {
		fmt.Fprintf(stderr, "round %d of %d\n", round+1, s.rounds)
		if err := compared(ctx, s, dir, program, round, calls); err != nil {
			return err
		}
		if err := tracing(ctx, s, dir, program, round, traces); err != nil {
			return err
		}
	}
	about.took = time.Since(began)
	return write(stdout, s, about, calls, traces)
}

// program is the bridge that is measured.
func (s *settings) program(ctx context.Context, dir string) (string, error) {
	if s.bridge != "" {
		return filepath.Abs(s.bridge)
	}
	return build(ctx, s.root, dir)
}

// stand are the processes of a round; all are new in each, so that none is measured in the state that earlier rounds left.
type stand struct {
	running []*process
	callees map[string]*process // by target
	load    *process
	direct  *process // nil where nobody is called directly
}

// stop ends all processes, the first last.
func (s *stand) stop() {
	for _, p := range slices.Backward(s.running) {
		_ = p.stop()
	}
}

// add keeps a process that was started, to stop it.
func (s *stand) add(p *process, err error) (*process, error) {
	if err == nil {
		s.running = append(s.running, p)
	}
	return p, err
}

// compared measures a round of the first table.
func compared(ctx context.Context, s settings, dir, program string, round int, into series) error {
	st := &stand{callees: map[string]*process{}}
	defer st.stop()
	back, err := st.add(startPart(ctx, dir, "backend"))
	if err != nil {
		return err
	}
	if st.load, err = st.add(startPart(ctx, dir, "load")); err != nil {
		return err
	}
	if st.direct, err = st.add(startPart(ctx, dir, "direct", back.address)); err != nil {
		return err
	}
	if st.callees[restHandler], err = st.add(startPart(ctx, dir, "gateway", back.address)); err != nil {
		return err
	}
	if st.callees[sdk], err = st.add(startPart(ctx, dir, "sdk", back.address)); err != nil {
		return err
	}
	if st.callees[bridge], err = st.add(startBridge(ctx, dir, "bridge", program, back.address)); err != nil {
		return err
	}
	return st.cells(s, targets, s.clients, round, into)
}

// tracing measures a round of the second table.
func tracing(ctx context.Context, s settings, dir, program string, round int, into series) error {
	st := &stand{callees: map[string]*process{}}
	defer st.stop()
	back, err := st.add(startPart(ctx, dir, "backend"))
	if err != nil {
		return err
	}
	if st.load, err = st.add(startPart(ctx, dir, "load")); err != nil {
		return err
	}
	sinks := map[string]*process{}
	for _, name := range traced {
		var env []string
		if name != traceOff {
			if sinks[name], err = st.add(startPart(ctx, dir, "sink")); err != nil {
				return err
			}
			env = exporting(sinks[name].address, name)
		}
		if st.callees[name], err = st.add(startBridge(ctx, dir, "traced", program, back.address, env...)); err != nil {
			return err
		}
	}
	if err := st.cells(s, traced, []int{tracedClients}, round, into); err != nil {
		return err
	}
	return exported(ctx, st, sinks)
}

// exporting is the environment of a bridge that sends its traces to a collector; metrics stay off.
func exporting(collector, name string) []string {
	sampler := "always_on"
	if name == traceUnsampled {
		sampler = "always_off"
	}
	return []string{
		"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://" + collector + "/v1/traces",
		"OTEL_METRICS_EXPORTER=none", "OTEL_TRACES_SAMPLER=" + sampler,
	}
}

// cells measures each cell of a table once. Each round begins with another target, so that none always follows the same one.
func (s *stand) cells(set settings, names []string, clients []int, round int, into series) error {
	for _, z := range sizes {
		for _, c := range clients {
			for i := range names {
				at := cell{names[(i+round)%len(names)], z.name, c}
				o, err := s.measure(set, at, time.Duration(z.longer)*set.cell)
				if err != nil {
					return err
				}
				into[at] = append(into[at], o)
			}
		}
	}
	return nil
}

// measure measures a cell for so long, or for the calls that are set.
func (s *stand) measure(set settings, at cell, long time.Duration) (outcome, error) {
	j := job{Target: at.target, Size: at.size, Clients: at.clients, Cell: long, Calls: set.calls}
	if at.target == directGRPC {
		return s.direct.do(j)
	}
	callee := s.callees[at.target]
	j.Address, j.PID = callee.address, callee.cmd.Process.Pid
	return s.load.do(j)
}
