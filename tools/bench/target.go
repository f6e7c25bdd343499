package main

import "fmt"

// targetClients is how many clients call at once where the targets hold.
const targetClients = 16

// maxResident is what the bridge may hold with that many clients, in bytes.
const maxResident = 60e6

// target is what the bridge's ratio to another is meant to be, for each of sizes.
type target struct {
	against string
	metric  metric
	limits  []float64
}

// goals are what the bridge is meant to reach.
var goals = []target{
	{directGRPC, throughput, []float64{.45, .5, .7}},
	{directGRPC, cpu, []float64{2.5, 2, 1.4}},
	{directGRPC, p99, []float64{2, 1.6, 1.3}},
	{restHandler, throughput, []float64{1.6, 2.2, 4.5}},
	{restHandler, cpu, []float64{.55, .35, .2}},
	{restHandler, p99, []float64{.8, .6, .3}},
	{sdk, throughput, []float64{4.5, 7, 16}},
	{sdk, cpu, []float64{.17, .11, .06}},
	{sdk, p99, []float64{.3, .2, .1}},
}

// verdict is a word for whether value is within limit: at least as great where more is better, at most otherwise.
func verdict(value, limit float64, more bool) string {
	if more && value >= limit || !more && value <= limit {
		return "reached"
	}
	return "**missed**"
}

// bound writes a limit as a ratio.
func (t target) bound(i int) string {
	if t.metric.more {
		return fmt.Sprintf("≥ %g", t.limits[i])
	}
	return fmt.Sprintf("≤ %g", t.limits[i])
}
