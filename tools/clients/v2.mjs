// The official TypeScript client 2.x, over both transports: as a client of the initialize era, as one that finds out, and as one
// of revision 2026-07-28 only.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { capabilities, checkAsked, User } from "./asked.mjs";
import { checkChanges, Heard, uri } from "./changes.mjs";
import { asking, changing, check, demo } from "./check.mjs";

const transports = {
  "Streamable HTTP": (at) => new StreamableHTTPClientTransport(at.url),
  stdio: (at) => new StdioClientTransport(at.stdio),
};
const modes = [
  ["legacy", "2025-11-25"],
  ["auto", "2026-07-28"],
  [{ pin: "2026-07-28" }, "2026-07-28"],
];

for (const [transport, make] of Object.entries(transports)) {
  for (const [mode, version] of modes) {
    const asked = typeof mode === "string" ? mode : `pin ${mode.pin}`;
    const name = `TypeScript client 2.x over ${transport}, mode ${asked}`;
    const create = (options) => new Client({ name: "clients", version: "2" }, { versionNegotiation: { mode }, ...options });
    const client = create();
    await check(name, client, make(demo), version, () => client.getNegotiatedProtocolVersion());

    const listener = create();
    const [updated, listed] = [new Heard(), new Heard()];
    listener.setNotificationHandler("notifications/resources/updated", ({ params }) => updated.add(params.uri));
    listener.setNotificationHandler("notifications/tools/list_changed", () => listed.add("tools"));
    const subscribe = () =>
      version === "2026-07-28"
        ? listener.listen({ toolsListChanged: true, resourceSubscriptions: [uri] })
        : listener.subscribeResource({ uri });
    await checkChanges(name, listener, make(changing), { updated, listed, subscribe });

    const orderer = create({ capabilities });
    const user = new User();
    orderer.setRequestHandler("elicitation/create", ({ params }) => user.elicit(params));
    const call = (params, options) => orderer.callTool(params, options);
    await checkAsked(name, orderer, make(asking), { user, call });
  }
}
