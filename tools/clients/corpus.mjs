// What the official TypeScript clients make of the tools of real APIs: each of the descriptor sets in SETS is served by a bridge of
// its own, in both profiles, and no backend is called. Both clients list every page and lose no tool, and both compile every
// schema, as they do before they take a result.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { basename } from "node:path";
import { createInterface } from "node:readline";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { AjvJsonSchemaValidator as Validator1 } from "@modelcontextprotocol/sdk/validation/ajv";
import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from "@modelcontextprotocol/client";
import { AjvJsonSchemaValidator as Validator2 } from "@modelcontextprotocol/client/validators/ajv";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

const { BRIDGE, SETS } = process.env;

/** Nobody listens there: lists come from the descriptors alone. */
const nobody = ["--backend", "127.0.0.1:1", "--plaintext"];

const clients = {
  "1.x": () => ({ client: new Client1({ name: "corpus", version: "1" }), transport: (url) => new Transport1(url) }),
  "2.x": () => ({
    client: new Client2({ name: "corpus", version: "2" }, { versionNegotiation: { mode: "auto" } }),
    transport: (url) => new Transport2(url),
  }),
};

/** Validators as the clients make them, and ones that hold a schema against the meta-schema of their dialect before. */
const validators = () => {
  const strict = (Engine) => {
    const engine = new Engine({ strict: false, validateFormats: true, validateSchema: true });
    addFormats.default(engine);
    return (schema) => engine.compile(schema);
  };
  const [one, two] = [new Validator1(), new Validator2()];
  return {
    "client 1.x": (schema) => one.getValidator(schema),
    "client 2.x": (schema) => two.getValidator(schema),
    "draft-07": strict(Ajv),
    "2020-12": strict(Ajv2020),
  };
};

/** Runs a bridge while use has its URL. */
async function serving(args, use) {
  const bridge = spawn(BRIDGE, ["serve", ...args, "--listen", "127.0.0.1:0"], { stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(bridge, "exit");
  try {
    let said = "";
    let url;
    for await (const line of createInterface({ input: bridge.stderr })) {
      said += `${line}\n`;
      url = /msg=ready url="?(http[^" ]*)/.exec(line)?.[1];
      if (url) break;
    }
    assert.ok(url, `bridge serve ${args.join(" ")} does not come up:\n${said}`);
    bridge.stderr.resume();
    return await use(new URL(url));
  } finally {
    bridge.kill();
    await ended;
  }
}

/** Lists the tools page by page, and counts the pages; client 2.x puts them together itself. */
async function list({ client, transport }, url) {
  await client.connect(transport(url));
  try {
    const tools = [];
    let pages = 0;
    for (let cursor; pages === 0 || cursor; pages++) {
      const page = await client.listTools(pages === 0 ? { cursor: undefined } : { cursor });
      tools.push(...page.tools);
      cursor = page.nextCursor;
    }
    return { tools, pages };
  } finally {
    await client.close();
  }
}

/**
 * Compiles the schemas of the tools in every way, and returns how many there are. One that says of which dialect it is, which only
 * the option input_schema can do, is not held against that of draft-07.
 */
function compile(tools) {
  const sides = tools.flatMap(({ name, inputSchema, outputSchema }) => [
    [`the input schema of ${name}`, inputSchema],
    [`the output schema of ${name}`, outputSchema],
  ]);
  const schemas = sides.filter(([, schema]) => schema);
  for (const [by, compiled] of Object.entries(validators())) {
    for (const [what, schema] of schemas) {
      if (by === "draft-07" && schema.$schema) continue;
      try {
        compiled(schema);
      } catch (error) {
        assert.fail(`${by} does not compile ${what}: ${error}\n${JSON.stringify(schema)}`);
      }
    }
  }
  return schemas.length;
}

/** What ajv prints, such as a format that it does not know, is a fault too. */
for (const level of ["warn", "error"]) console[level] = (...words) => assert.fail(words.join(" "));

const total = { tools: 0, schemas: 0 };
for (const set of SETS.split("\n").filter(Boolean)) {
  for (const profile of ["portable", "rich"]) {
    const what = `${basename(set, ".binpb")}, ${profile}`;
    const target = ["--descriptor-set", set, "--profile", profile];
    const report = execFileSync(BRIDGE, ["tools", ...target, "-o", "json"], { maxBuffer: 1 << 28 });
    const wanted = JSON.parse(report).tools.map(({ tool }) => tool);
    const pages = [];
    await serving([...nobody, ...target], async (url) => {
      for (const [client, make] of Object.entries(clients)) {
        const listed = await list(make(), url);
        assert.deepEqual(listed.tools.map((t) => t.name), wanted.map((t) => t.name), `client ${client} and ${what}`);
        pages.push(listed.pages);
      }
    });
    const schemas = compile(wanted);
    total.tools += wanted.length;
    total.schemas += schemas;
    console.log(`ok: ${what}: ${wanted.length} tools on ${pages.join(" and ")} pages, ${schemas} schemas compiled in 4 ways`);
  }
}
console.log(`ok: both clients list ${total.tools} tools and compile ${total.schemas} schemas`);
