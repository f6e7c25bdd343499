// The official TypeScript client 2.x, over both transports: as a client of the initialize era, as one that finds out, and as one
// of revision 2026-07-28 only.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { check, stdio, url } from "./check.mjs";

const transports = {
  "Streamable HTTP": () => new StreamableHTTPClientTransport(new URL(url)),
  stdio: () => new StdioClientTransport(stdio),
};
const modes = [
  ["legacy", "2025-11-25"],
  ["auto", "2026-07-28"],
  [{ pin: "2026-07-28" }, "2026-07-28"],
];

for (const [name, make] of Object.entries(transports)) {
  for (const [mode, version] of modes) {
    const client = new Client({ name: "clients", version: "2" }, { versionNegotiation: { mode } });
    const asked = typeof mode === "string" ? mode : `pin ${mode.pin}`;
    await check(`TypeScript client 2.x over ${name}, mode ${asked}`, client, make(), version, () => client.getNegotiatedProtocolVersion());
  }
}
