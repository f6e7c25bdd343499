package main

import (
	"fmt"
	"os"
	"os/signal"
	"runtime/pprof"
	"syscall"
)

// This file is compiled into the bridge by the benchmark's -profile alone, with go build -overlay: SIGUSR1 begins a CPU profile in
// the file that BENCH_PROFILE names, and the next one ends it. Then a file beside it, with ".done" behind its name, says so.
func init() {
	name := os.Getenv("BENCH_PROFILE")
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1)
	go func() {
		<-signals
		file, err := os.Create(name)
		if err == nil {
			err = pprof.StartCPUProfile(file)
		}
		<-signals
		pprof.StopCPUProfile()
		if err == nil {
			err = file.Close()
		}
		if err == nil {
			err = os.WriteFile(name+".done", nil, 0o600)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "profile:", err)
		}
	}()
}
