// Counts the outcome of the sets that the conformance suite has run, and holds it against the list of expected failures:
//
//   node tally.mjs [--partial] expected-failures.json TALLY RESULTS SET...
//
// TALLY is a document with the table that is printed: a set of which it says something else, as one that skips what it checked
// before, fails the run too.
//
// RESULTS has, for each set, SET.log (what the suite printed) and SET/ (a checks.json for each scenario). A failure or a warning
// that is not expected fails the run, and so does an expected one that passes in a set, or is reported by none: the list must shrink.
// --partial says that not all sets are there. An entry is {reason, sets?, scenarios: {scenario: [check, ...]}}; without sets it
// holds for each set.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export const statuses = ["SUCCESS", "FAILURE", "WARNING", "INFO", "SKIPPED"];

// A status of which nothing is known is no good news.
const bad = (check) => !["SUCCESS", "INFO", "SKIPPED"].includes(check.status);

/** Reads the checks of one set by scenario. A scenario that began and left no checks has one check that failed. */
export function read(results, set) {
  const begun = [...readFileSync(join(results, `${set}.log`), "utf8").matchAll(/^=== Running scenario: (.+) ===$/gm)];
  const scenarios = new Map(begun.map(([, name]) => [name, []]));
  const folder = join(results, set);
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const [, scenario] = name.match(/^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/) ?? [];
    const file = join(folder, name, "checks.json");
    if (scenario && existsSync(file)) scenarios.set(scenario, JSON.parse(readFileSync(file, "utf8")));
  }
  for (const [name, checks] of scenarios) {
    if (checks.length === 0) checks.push({ id: "no-checks", status: "FAILURE", errorMessage: `scenario ${name} left no checks` });
  }
  return scenarios;
}

/** Flattens the list of expected failures, and refuses one without a reason or without checks. */
export function flatten(list) {
  return list.flatMap(({ reason, sets, scenarios }) => {
    if (!reason || !scenarios) throw new Error("each entry needs a reason and scenarios");
    return Object.entries(scenarios).flatMap(([scenario, checks]) => {
      if (!checks.length) throw new Error(`name the checks of ${scenario}: ${reason}`);
      return checks.map((check) => ({ reason, sets, scenario, check, met: new Set(), passed: new Set() }));
    });
  });
}

/**
 * Compares sets, a Map of a set's name to the scenarios that read returns, with a flat list of expected failures. partial says
 * that not all sets are there.
 */
export function judge(sets, expected, partial = false) {
  const tallies = new Map();
  const surprises = [];
  for (const [set, scenarios] of sets) {
    const tally = Object.fromEntries([...statuses, "expected", "scenarios"].map((name) => [name, 0]));
    tallies.set(set, tally);
    for (const [scenario, checks] of scenarios) {
      tally.scenarios++;
      for (const check of checks) {
        tally[check.status] = (tally[check.status] ?? 0) + 1;
        const entry = expected.find((e) => e.scenario === scenario && e.check === check.id && (!e.sets || e.sets.includes(set)));
        if (!bad(check)) {
          if (check.status === "SUCCESS") entry?.passed.add(set);
          continue;
        }
        if (entry) {
          tally.expected++;
          entry.met.add(set);
        } else {
          surprises.push(`${set}: ${scenario}: ${check.status} of ${check.id}: ${check.errorMessage ?? check.description ?? ""}`);
        }
      }
    }
  }
  return { tallies, surprises, stale: stale(sets, expected, partial) };
}

// A check may be reported several times in a scenario, and one failure is enough for the entry to hold.
function stale(sets, expected, partial) {
  return expected.flatMap((e) => {
    const ran = [...sets.keys()].filter((set) => (!e.sets || e.sets.includes(set)) && sets.get(set).has(e.scenario));
    const passing = [...e.passed].filter((set) => !e.met.has(set));
    if (passing.length > 0) return [`${e.scenario}: ${e.check} passes in ${passing.join(", ")}: take it off the list`];
    if (ran.length > 0 && e.met.size === 0) return [`${e.scenario}: ${e.check} was not reported in ${ran.join(", ")}: take it off the list`];
    if (ran.length === 0 && !partial) return [`${e.scenario}: no set ran this scenario: take it off the list`];
    return [];
  });
}

/** Lines up the cells of a row of the table. */
export function row(cells) {
  return cells.map((cell, i) => (i === 0 ? String(cell).padEnd(12) : String(cell).padStart(10))).join("");
}

/** Returns the rows of sets that a document, as a text, does not have. */
export function untold(tallies, document) {
  const told = new Set(document.split("\n").map((line) => line.trimEnd()));
  return [...tallies].map(cells).filter((line) => !told.has(line));
}

const cells = ([set, tally]) => row([set, tally.scenarios, ...statuses.map((s) => tally[s]), tally.expected]);

/** Says in one line what a run without surprises has shown. */
export function summary(tallies, list) {
  const sum = (name) => [...tallies.values()].reduce((total, tally) => total + tally[name], 0);
  const passed = `passed: ${sum("SUCCESS")} checks in ${sum("scenarios")} scenarios of ${tallies.size} sets`;
  return `${passed}; every failure and warning (${sum("expected")}) is listed in ${list}`;
}

function main(args) {
  const partial = args[0] === "--partial";
  const [list, told, results, ...names] = partial ? args.slice(1) : args;
  const sets = new Map(names.map((set) => [set, read(results, set)]));
  for (const [set, scenarios] of sets) {
    if (scenarios.size === 0) throw new Error(`set ${set} ran no scenario; see ${join(results, `${set}.log`)}`);
  }
  const { tallies, surprises, stale } = judge(sets, flatten(JSON.parse(readFileSync(list, "utf8"))), partial);
  const changed = untold(tallies, readFileSync(told, "utf8"));
  console.log(row(["set", "scenarios", ...statuses, "expected"]));
  for (const line of [...tallies].map(cells)) console.log(line);
  for (const line of changed) console.error(`not in ${told}: ${line}; find out why, and put it there with its date`);
  for (const line of surprises) console.error(`not expected: ${line}`);
  for (const line of stale) console.error(`expected to fail: ${line}`);
  if (changed.length + surprises.length + stale.length > 0) process.exitCode = 1;
  else console.log(summary(tallies, list));
  console.log(`logs and checks: ${results}`);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) main(process.argv.slice(2));
