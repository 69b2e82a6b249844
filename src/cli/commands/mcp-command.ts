import { Readable, Writable } from "node:stream";
import type { ApiClient } from "../../client/api-client.ts";
import { ClientError } from "../../client/client-error.ts";
import type { CallOutcome, ServerCall } from "../../mcp/tools/server-calls.ts";
import type { ClientCommand } from "./client-command.ts";
import { EXIT, UsageError } from "./exit-codes.ts";

/** `trawl mcp`: a server's tools for an assistant that starts this, over its standard streams. */
export const mcpCommand: ClientCommand = {
  declare: (program) =>
    program
      .command("mcp")
      .description("serve an assistant that starts this command as its MCP server")
      .option("--mcp-writes", "offer the tools that change documents and delete namespaces"),
  run: async ({ client, terminal, signal, version }, { options }) => {
    if (terminal.inIsTerminal) {
      throw new UsageError(
        "an assistant starts this command and speaks to it over standard input: name it in the " +
          "assistant's configuration",
      );
    }
    const [protocol, { McpServers }, { openDocs }] = await Promise.all([
      import("../../mcp/protocol-package.ts"),
      import("../../mcp/mcp-servers.ts"),
      import("../../mcp/docs/open-docs.ts"),
    ]);
    const onBug = (error: unknown) =>
      terminal.err(`trawl mcp: ${(error as Error).stack ?? String(error)}\n`);
    const servers = new McpServers({ protocol, version, openDocs, onBug });
    const input = Readable.from(terminal.input);
    const output = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        terminal.out(chunk.toString("utf8"));
        done();
      },
    });
    const ended = new Promise<void>((resolve) => {
      input.once("close", resolve);
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    const handle = protocol.serveStdio(
      () =>
        servers.create({
          writes: options.mcpWrites === true,
          call: (call) => callOver(client, call),
        }),
      {
        transport: new protocol.StdioServerTransport(input, output),
        maxSubscriptions: 0,
        onerror: ({ message }) => terminal.err(`trawl mcp: ${message}\n`),
      },
    );
    await ended;
    await handle.close();
    return EXIT.done;
  },
};

async function callOver(client: ApiClient, call: ServerCall): Promise<CallOutcome> {
  // Of the server: other commands start faster without it.
  const { operationAddress } = await import("../../http/routes/routes.ts");
  const { operation, namespace, parameters, body, signal } = call;
  const { method, path } = operationAddress(operation, namespace);
  const request = {
    method,
    path,
    ...(parameters !== undefined && { parameters }),
    ...(body !== undefined && { body }),
    // A field that is passed over is a mistake that a model would not find.
    headers: { "content-type": "application/json", "trawl-strict": "true" },
    repeatable: operation !== "write" && operation !== "delete_namespace",
    signal,
  };
  try {
    return { kind: "served", body: await (await client.send(request)).bytes() };
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    return { kind: "refused", message: error.message };
  }
}
