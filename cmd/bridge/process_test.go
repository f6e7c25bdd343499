package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// patience is how long a script waits for something that has to happen.
const patience = 30 * time.Second

// processes are those that a script has started, by the names that it gave them.
type processes struct{ running map[string]*process }

type processesKey struct{}

// process runs in the background of a script.
type process struct {
	cmd  *exec.Cmd
	in   io.Closer     // an open stdin that nobody writes to
	done chan struct{} // closed when it has ended
	err  error         // of Wait; read after done

	mu      sync.Mutex
	stdout  bytes.Buffer
	stderr  bytes.Buffer
	changed chan struct{} // closed and replaced at each write
}

// stream collects one of the outputs of a process.
type stream struct {
	p *process
	b *bytes.Buffer
}

// Write adds to the output and wakes whoever waits for more.
func (s stream) Write(b []byte) (int, error) {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	close(s.p.changed)
	s.p.changed = make(chan struct{})
	return s.b.Write(b)
}

// look returns the output so far, and a channel that is closed when there is more.
func (p *process) look() (stdout, stderr []byte, more <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return bytes.Clone(p.stdout.Bytes()), bytes.Clone(p.stderr.Bytes()), p.changed
}

func table(ts *testscript.TestScript) *processes { return ts.Value(processesKey{}).(*processes) }

func find(ts *testscript.TestScript, name string) *process {
	p, ok := table(ts).running[name]
	if !ok {
		ts.Fatalf("no process %q was started", name)
	}
	return p
}

// killAll ends what a script left running.
func (t *processes) killAll() {
	for _, p := range t.running {
		_ = p.cmd.Process.Kill()
		<-p.done
	}
}

// cmdStart implements "start NAME READY PROGRAM ARG…": it runs the program in the background, waits until its output
// matches READY, and puts the first group of the match into the variable NAME.
func cmdStart(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: start NAME READY PROGRAM ARG…")
	}
	ready, err := regexp.Compile(args[1])
	ts.Check(err)
	p := launch(ts, args[2], args[3:]...)
	table(ts).running[args[0]] = p
	deadline := time.After(patience)
	for {
		stdout, stderr, more := p.look()
		if m := ready.FindSubmatch(append(stdout, stderr...)); m != nil {
			if len(m) > 1 {
				ts.Setenv(args[0], string(m[1]))
			}
			return
		}
		select {
		case <-more:
		case <-p.done:
			ts.Fatalf("%s ended before it was ready: %v\n%s%s", args[0], p.err, stdout, stderr)
		case <-deadline:
			ts.Fatalf("%s is not ready:\n%s%s", args[0], stdout, stderr)
		}
	}
}

// launch starts a program in the script's directory and environment.
func launch(ts *testscript.TestScript, program string, args ...string) *process {
	p := &process{cmd: exec.Command(program, args...), done: make(chan struct{}), changed: make(chan struct{})}
	p.cmd.Dir = ts.MkAbs(".")
	p.cmd.Env = append(os.Environ(), "HOME="+ts.Getenv("HOME"), "GOBIN="+ts.Getenv("GOBIN"))
	p.cmd.Stdout, p.cmd.Stderr = stream{p, &p.stdout}, stream{p, &p.stderr}
	p.cmd.WaitDelay = time.Second
	var err error
	p.in, err = p.cmd.StdinPipe()
	ts.Check(err)
	ts.Check(p.cmd.Start())
	go func() {
		defer close(p.done)
		p.err = p.cmd.Wait()
	}()
	return p
}

// cmdSignal implements "signal NAME HUP|INT|TERM|KILL".
func cmdSignal(ts *testscript.TestScript, neg bool, args []string) {
	signals := map[string]os.Signal{"HUP": syscall.SIGHUP, "INT": os.Interrupt, "TERM": syscall.SIGTERM, "KILL": os.Kill}
	if neg || len(args) != 2 || signals[args[1]] == nil {
		ts.Fatalf("usage: signal NAME HUP|INT|TERM|KILL")
	}
	ts.Check(find(ts, args[0]).cmd.Process.Signal(signals[args[1]]))
}

// cmdEnded implements "ended NAME CODE": it waits for the process to end with an exit code; -1 = ended by a signal.
func cmdEnded(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: ended NAME CODE")
	}
	p := find(ts, args[0])
	select {
	case <-p.done:
	case <-time.After(patience):
		ts.Fatalf("%s has not ended", args[0])
	}
	if code := strconv.Itoa(p.cmd.ProcessState.ExitCode()); code != args[1] {
		stdout, stderr, _ := p.look()
		ts.Fatalf("%s ended with code %s, not %s:\n%s%s", args[0], code, args[1], stdout, stderr)
	}
}

// cmdOutput implements "output NAME [REGEXP]": it waits until the output so far matches, if there is an expression, and
// writes it to the files NAME.out and NAME.err.
func cmdOutput(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: output NAME [REGEXP]")
	}
	p := find(ts, args[0])
	want := regexp.MustCompile(append(args, "")[1])
	deadline := time.After(patience)
	for {
		stdout, stderr, more := p.look()
		if want.Match(append(bytes.Clone(stdout), stderr...)) {
			ts.Check(os.WriteFile(ts.MkAbs(args[0]+".out"), stdout, 0o600))
			ts.Check(os.WriteFile(ts.MkAbs(args[0]+".err"), stderr, 0o600))
			return
		}
		select {
		case <-more:
		case <-deadline:
			ts.Fatalf("the output of %s does not match:\n%s%s", args[0], stdout, stderr)
		}
	}
}

// cmdLearn implements "learn NAME PROCESS REGEXP": it waits until the output of the process matches and puts the first group of
// the match into the variable NAME.
func cmdLearn(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: learn NAME PROCESS REGEXP")
	}
	cmdOutput(ts, false, args[1:])
	stdout, stderr, _ := find(ts, args[1]).look()
	ts.Setenv(args[0], string(regexp.MustCompile(args[2]).FindSubmatch(append(stdout, stderr...))[1]))
}

// cmdExits implements "exits CODE PROGRAM ARG…": it runs a program to its end, wants an exit code, and leaves the outputs
// in the files out and err.
func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG…")
	}
	p := launch(ts, args[1], args[2:]...)
	select {
	case <-p.done:
	case <-time.After(patience):
		_ = p.cmd.Process.Kill()
		<-p.done
	}
	stdout, stderr, _ := p.look()
	ts.Check(os.WriteFile(ts.MkAbs("out"), stdout, 0o600))
	ts.Check(os.WriteFile(ts.MkAbs("err"), stderr, 0o600))
	ts.Logf("%s%s", stdout, stderr)
	if code := strconv.Itoa(p.cmd.ProcessState.ExitCode()); code != args[0] {
		ts.Fatalf("exit code %s, want %s", code, args[0])
	}
}

// cmdEventually implements "eventually REGEXP PROGRAM ARG…": it runs a program again and again until its stdout matches.
func cmdEventually(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: eventually REGEXP PROGRAM ARG…")
	}
	want := regexp.MustCompile(args[0])
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		p := launch(ts, args[1], args[2:]...)
		<-p.done
		if stdout, stderr, _ := p.look(); want.Match(stdout) {
			return
		} else if ctx.Err() != nil {
			ts.Fatalf("no match: %s%s", stdout, stderr)
		}
	}
}

// cmdFill implements "fill TEMPLATE FILE": it writes the template to the file, all at once, with the script's variables in it.
func cmdFill(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: fill TEMPLATE FILE")
	}
	file := ts.MkAbs(args[1])
	ts.Check(os.WriteFile(file+".new", []byte(os.Expand(ts.ReadFile(args[0]), ts.Getenv)), 0o600))
	ts.Check(os.Rename(file+".new", file))
}

// cmdOccupy implements "occupy NAME": it listens on a free port until the script ends and puts the address into NAME.
func cmdOccupy(ts *testscript.TestScript, neg bool, args []string) {
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { lis.Close() })
	ts.Setenv(args[0], lis.Addr().String())
}
