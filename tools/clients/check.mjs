// What every client has to see of `bridge demo`, whatever it speaks. What it has to hear of changes is in changes.mjs, and what
// its user is asked in asked.mjs.
import assert from "node:assert/strict";

const { BRIDGE: command, DEMO_URL, DEMO_BACKEND, CHANGING_URL, CHANGING_BACKEND, ORDERS_URL, ORDERS_BACKEND } = process.env;

/** The program over stdio, as clients are told to start it. */
const stdio = (backend) => ({ command, args: ["stdio", "--backend", backend, "--plaintext"], stderr: "ignore" });

/** Where the bridges are, from the environment that ./run sets: in front of the demo, of a backend that changes, and of one that asks. */
export const demo = { url: new URL(DEMO_URL), stdio: stdio(DEMO_BACKEND) };
export const changing = { url: new URL(CHANGING_URL), stdio: stdio(CHANGING_BACKEND) };
export const asking = { url: new URL(ORDERS_URL), stdio: stdio(ORDERS_BACKEND) };

/**
 * Connects one client, has it list and call tools, compares what it gets, and closes it. version is the revision that has to
 * come out of the negotiation, read by negotiated after the client has connected.
 */
export async function check(name, client, transport, version, negotiated) {
  await client.connect(transport);
  try {
    assert.equal(negotiated(), version);
    assert.equal(client.getServerVersion().name, "bridge");
    const { tools } = await client.listTools();
    const tool = tools.find((t) => t.name === "library_get_book");
    assert.ok(tool, `no library_get_book among ${tools.map((t) => t.name)}`);
    assert.ok(tool.description && tool.inputSchema.properties.name && tool.outputSchema.properties.title, JSON.stringify(tool));

    const book = await client.callTool({ name: tool.name, arguments: { name: "books/dune" } });
    assert.ok(!book.isError, JSON.stringify(book));
    assert.equal(book.structuredContent.title, "Dune");
    assert.deepEqual(JSON.parse(book.content[0].text), book.structuredContent);

    const missing = await client.callTool({ name: tool.name, arguments: { name: "books/none" } });
    assert.ok(missing.isError && missing.content[0].text.includes("books/none"), JSON.stringify(missing));

    await assert.rejects(client.callTool({ name: "library_get_bok", arguments: {} }), { code: -32602 });
  } finally {
    await client.close();
  }
  console.log(`ok: ${name}, revision ${version}`);
}
