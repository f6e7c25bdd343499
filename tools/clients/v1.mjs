// The official TypeScript client 1.x, over both transports.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { check, stdio, url } from "./check.mjs";

const transports = {
  "Streamable HTTP": () => new StreamableHTTPClientTransport(new URL(url)),
  stdio: () => new StdioClientTransport(stdio),
};

for (const [name, make] of Object.entries(transports)) {
  const transport = make();
  // This client tells only its transport what was agreed on.
  let version;
  const tell = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = (agreed) => {
    version = agreed;
    tell?.(agreed);
  };
  await check(`TypeScript client 1.x over ${name}`, new Client({ name: "clients", version: "1" }), transport, "2025-11-25", () => version);
}
