import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { flatten, judge, read, summary, untold } from "./tally.mjs";

const list = (sets) => flatten([{ reason: "later", sets, scenarios: { progress: ["three"] } }]);
const one = (...statuses) => new Map([["progress", statuses.map((status) => ({ id: "three", status }))]]);

test("an expected failure is no surprise", () => {
  const got = judge(new Map([["new", one("FAILURE")]]), list());
  assert.deepEqual([got.surprises, got.stale], [[], []]);
  assert.equal(got.tallies.get("new").expected, 1);
});

test("the last line counts over all sets", () => {
  const { tallies } = judge(new Map([["new", one("SUCCESS", "FAILURE")], ["old", one("SUCCESS")]]), list());
  const want = "passed: 2 checks in 2 scenarios of 2 sets; every failure and warning (1) is listed in list.json";
  assert.equal(summary(tallies, "list.json"), want);
});

test("a set that skips what it checked before is not as the document says", () => {
  const { tallies } = judge(new Map([["new", one("SUCCESS", "SUCCESS")], ["old", one("SUCCESS")]]), []);
  const rows = untold(tallies, "");
  assert.match(rows[0], /^new +1 +2 +0 +0 +0 +0 +0$/);
  const document = `before\n${rows.join("  \n")}\nbehind`;
  assert.deepEqual(untold(tallies, document), []);
  const skipped = judge(new Map([["new", one("SUCCESS", "SKIPPED")]]), []).tallies;
  assert.equal(untold(skipped, document).length, 1);
});

test("one failure of several reports is enough", () => {
  assert.deepEqual(judge(new Map([["new", one("SUCCESS", "WARNING")]]), list()).stale, []);
});

test("any other failure or warning is one, and what nobody knows", () => {
  for (const status of ["FAILURE", "WARNING", "CRASH"]) {
    const got = judge(new Map([["new", new Map([["progress", [{ id: "other", status }]]])]]), []);
    assert.equal(got.surprises.length, 1, status);
  }
});

test("an entry of another set does not count", () => {
  assert.equal(judge(new Map([["new", one("FAILURE")]]), list(["old"])).surprises.length, 1);
});

test("an expected failure that passes is stale, in one set of two too", () => {
  const sets = new Map([["new", one("SUCCESS")], ["old", one("FAILURE")]]);
  assert.match(judge(sets, list()).stale[0], /passes in new/);
});

test("an expected failure that is reported no more is stale", () => {
  assert.match(judge(new Map([["new", one("INFO")]]), list()).stale[0], /was not reported in new/);
  const none = new Map([["new", new Map()]]);
  assert.match(judge(none, list()).stale[0], /no set ran this scenario/);
  assert.deepEqual(judge(none, list(), true).stale, [], "not all sets are there");
});

test("entries need a reason and checks", () => {
  assert.throws(() => flatten([{ scenarios: { a: ["b"] } }]), /reason/);
  assert.throws(() => flatten([{ reason: "r", scenarios: { a: [] } }]), /name the checks of a/);
});

test("a scenario that leaves no checks fails", () => {
  const results = mkdtempSync(join(tmpdir(), "tally-"));
  try {
    writeFileSync(join(results, "new.log"), "\n=== Running scenario: ping ===\n\n=== Running scenario: tools-list ===\n");
    const folder = join(results, "new", "server-tools-list-2026-12-01T20-18-39-412Z");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "checks.json"), '[{"id":"tools-list","status":"SUCCESS"}]');
    const got = read(results, "new");
    assert.equal(got.get("ping")[0].status, "FAILURE");
    assert.equal(got.get("tools-list")[0].status, "SUCCESS");
  } finally {
    rmSync(results, { recursive: true });
  }
});
