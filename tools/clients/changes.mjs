// What every client has to hear of services/conformance, whatever it speaks: that a resource has changed, and the list of tools.
import assert from "node:assert/strict";

/** The resource whose backend tells of its changes. */
export const uri = "test://watched-resource";

/** What has been heard, until it is asked for. */
export class Heard {
  #seen = [];
  #wake = () => {};

  add(text) {
    this.#seen.push(text);
    this.#wake();
  }

  /** Waits for the next of what is heard. */
  async next(what) {
    const late = setTimeout(() => this.#wake("late"), 20_000);
    for (let state; this.#seen.length === 0; ) {
      state = await new Promise((resolve) => (this.#wake = resolve));
      assert.notEqual(state, "late", `nothing is heard of ${what}`);
    }
    clearTimeout(late);
    return this.#seen.shift();
  }
}

/**
 * Connects one client, has it listen to the resource with subscribe and to the list of tools, changes both, and closes it.
 * updated and listed take what the client hears.
 */
export async function checkChanges(name, client, transport, { updated, listed, subscribe }) {
  await client.connect(transport);
  const call = async (tool) => JSON.parse((await client.callTool({ name: tool, arguments: {} })).content[0].text);
  try {
    await subscribe();
    // Over HTTP the client's stream may be open later than it has subscribed, and what changes meanwhile is not told one by one:
    // what is heard first may say that nobody knows.
    const change = () => call("test_change_watched_resource");
    const often = setInterval(change, 200);
    await updated.next(uri);
    await updated.next(uri);
    clearInterval(often);

    const { changes } = await change();
    assert.equal(await updated.next(uri), uri);
    const { contents } = await client.readResource({ uri });
    assert.ok(JSON.parse(contents[0].text).changes >= changes, contents[0].text);

    for (let i = 0; i < 2; i++) {
      const { offered } = await call("test_trigger_tool_change");
      await listed.next("the list of tools");
      const { tools } = await client.listTools();
      assert.equal(tools.some((t) => t.name === "test_extra_tool"), offered);
    }
  } finally {
    await client.close();
  }
  console.log(`ok: ${name} hears of changes`);
}
