package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the test binary act as bridge, and as the programs that the scripts need around it.
func TestMain(m *testing.M) {
	testscript.Main(leakless{m}, map[string]func(){
		"bridge":  main,
		"backend": backendMain,
		"post":    postMain,
	})
}

// TestScripts plays testdata/script: real processes, real sockets, real signals.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Deadline:            deadline(t),
		Setup: func(env *testscript.Env) error {
			table := &processes{running: map[string]*process{}}
			env.Values[processesKey{}] = table
			env.Defer(table.killAll)
			root, err := os.Getwd()
			if err != nil {
				return err
			}
			program, err := exec.LookPath("bridge")
			env.Setenv("ROOT", root+"/../..")
			env.Setenv("BIN", filepath.Dir(program)) // of the programs above
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"start":      cmdStart,
			"signal":     cmdSignal,
			"ended":      cmdEnded,
			"output":     cmdOutput,
			"learn":      cmdLearn,
			"exits":      cmdExits,
			"eventually": cmdEventually,
			"occupy":     cmdOccupy,
			"fill":       cmdFill,
			"certify":    cmdCertify,
		},
		Condition: func(name string) (bool, error) {
			_, err := exec.LookPath(name)
			return err == nil, nil
		},
	})
}

// deadline ends the scripts some seconds before the test itself would be ended without a word.
func deadline(t *testing.T) time.Time {
	if d, ok := t.Deadline(); ok {
		return d.Add(-10 * time.Second)
	}
	return time.Time{}
}
