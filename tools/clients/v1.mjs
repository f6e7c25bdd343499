// The official TypeScript client 1.x, over both transports.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  ElicitRequestSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { capabilities, checkAsked, User } from "./asked.mjs";
import { checkChanges, Heard, uri } from "./changes.mjs";
import { asking, changing, check, demo } from "./check.mjs";

const transports = {
  "Streamable HTTP": (at) => new StreamableHTTPClientTransport(at.url),
  stdio: (at) => new StdioClientTransport(at.stdio),
};

for (const [transport, make] of Object.entries(transports)) {
  const name = `TypeScript client 1.x over ${transport}`;
  const wire = make(demo);
  // This client tells only its transport what was agreed on.
  let version;
  const tell = wire.setProtocolVersion?.bind(wire);
  wire.setProtocolVersion = (agreed) => {
    version = agreed;
    tell?.(agreed);
  };
  await check(name, new Client({ name: "clients", version: "1" }), wire, "2025-11-25", () => version);

  const client = new Client({ name: "clients", version: "1" });
  const [updated, listed] = [new Heard(), new Heard()];
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => updated.add(params.uri));
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => listed.add("tools"));
  await checkChanges(name, client, make(changing), { updated, listed, subscribe: () => client.subscribeResource({ uri }) });

  const orderer = new Client({ name: "clients", version: "1" }, { capabilities });
  const user = new User();
  orderer.setRequestHandler(ElicitRequestSchema, ({ params }) => user.elicit(params));
  const call = (params, options) => orderer.callTool(params, undefined, options);
  await checkAsked(name, orderer, make(asking), { user, call });
}
