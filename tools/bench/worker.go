package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// job is a line that a worker reads: a cell to measure.
type job struct {
	// Target is who is called, as in the tables, and Address where: host:port.
	Target  string `json:"target"`
	Address string `json:"address"`
	// PID is the process whose CPU time and memory count; 0 for the worker itself.
	PID int `json:"pid"`
	// Size is the name of a size, Clients how many call at once.
	Size    string `json:"size"`
	Clients int    `json:"clients"`
	// Cell is how long, in nanoseconds; Calls how many in all instead, when it is above 0.
	Cell  time.Duration `json:"cell"`
	Calls int           `json:"calls"`
}

// outcome is the line with which a worker answers; its times are nanoseconds.
type outcome struct {
	// Calls were made in Took, all of them answered well.
	Calls int           `json:"calls"`
	Took  time.Duration `json:"took"`
	// P50 and P99 are latencies of calls, CPU is the process's time over all of them.
	P50 time.Duration `json:"p50"`
	P99 time.Duration `json:"p99"`
	CPU time.Duration `json:"cpu"`
	// RSS is the process's memory at the end, in bytes.
	RSS int64 `json:"rss"`
	// Error is why there is no outcome; the rest is empty then.
	Error string `json:"error,omitempty"`
}

// connector prepares the calls of a job and returns what opens a connection for one client.
type connector func(job) (open func() (caller, error), err error)

// caller makes one call after the other; each client has one of its own.
type caller interface {
	// Check makes a call and compares the answer with what was sent. The first client of a job does, before the others call.
	Check() error
	// Call makes a call and looks at the answer as far as a client must to know that it is one.
	Call() error
	// Close ends the connection, unless clients share it.
	Close() error
}

// work answers jobs until stdin ends, each client calling over what connect opens.
func work(stdin io.Reader, stdout io.Writer, connect connector) error {
	in, out := json.NewDecoder(stdin), json.NewEncoder(stdout)
	for {
		var j job
		if err := in.Decode(&j); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if j.PID == 0 {
			j.PID = os.Getpid()
		}
		o, err := measure(j, connect)
		if err != nil {
			o = outcome{Error: err.Error()}
		}
		if err := out.Encode(o); err != nil {
			return err
		}
	}
}

// measure makes the calls of a job. Connections are open, and each client has made a call, before time counts.
func measure(j job, connect connector) (outcome, error) {
	open, err := connect(j)
	if err != nil {
		return outcome{}, err
	}
	callers := make([]caller, j.Clients)
	for i := range callers {
		c, err := open()
		if err != nil {
			return outcome{}, err
		}
		defer c.Close()
		callers[i] = c
	}
	if err := callers[0].Check(); err != nil {
		return outcome{}, err
	}
	ready := limit{left: new(atomic.Int64), until: time.Now().Add(time.Hour)}
	ready.left.Store(int64(j.Clients))
	if _, err := together(callers, ready); err != nil {
		return outcome{}, err
	}
	return timed(j, callers)
}

// timed is the part of measure that counts.
func timed(j job, callers []caller) (outcome, error) {
	before, err := cpuTime(j.PID)
	if err != nil {
		return outcome{}, err
	}
	began := time.Now()
	latencies, err := together(callers, newLimit(j, began))
	if err != nil {
		return outcome{}, err
	}
	took := time.Since(began)
	after, err := cpuTime(j.PID)
	if err != nil {
		return outcome{}, err
	}
	rss, err := resident(j.PID)
	if err != nil {
		return outcome{}, err
	}
	slices.Sort(latencies)
	return outcome{
		Calls: len(latencies), Took: took, CPU: after - before, RSS: rss,
		P50: latencies[len(latencies)/2], P99: latencies[len(latencies)*99/100],
	}, nil
}

// limit says when a cell is over: at a time, or after so many calls when left is set.
type limit struct {
	left  *atomic.Int64
	until time.Time
}

func newLimit(j job, began time.Time) limit {
	if j.Calls == 0 {
		return limit{until: began.Add(j.Cell)}
	}
	l := limit{left: new(atomic.Int64)}
	l.left.Store(int64(j.Calls))
	return l
}

// more reports whether another call may begin at now.
func (l limit) more(now time.Time) bool {
	if l.left != nil {
		return l.left.Add(-1) >= 0
	}
	return now.Before(l.until)
}

// together has all callers call at once, within the limit, and returns how long each call took.
func together(callers []caller, l limit) ([]time.Duration, error) {
	latencies, failures := make([][]time.Duration, len(callers)), make([]error, len(callers))
	var wg sync.WaitGroup
	for i, c := range callers {
		wg.Go(func() { latencies[i], failures[i] = again(c, l) })
	}
	wg.Wait()
	return slices.Concat(latencies...), errors.Join(failures...)
}

// again makes call after call within the limit.
func again(c caller, l limit) ([]time.Duration, error) {
	var took []time.Duration
	for began := time.Now(); l.more(began); {
		if err := c.Call(); err != nil {
			return nil, err
		}
		ended := time.Now()
		took = append(took, ended.Sub(began))
		began = ended
	}
	return took, nil
}

// loadGenerator calls what speaks HTTP.
func loadGenerator(_ context.Context, _ []string, stdin io.Reader, stdout io.Writer) error {
	return work(stdin, stdout, connectHTTP)
}
