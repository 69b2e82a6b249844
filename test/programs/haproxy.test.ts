/** HAProxy in front of two servers, as `deploy/haproxy.cfg` configures it. */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { hasTool } from "../support/processes/find-tool.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

const NAMESPACES = 40;

type Name = "a" | "b";

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
const servers = new Map<Name, Server>();
let proxy: ChildProcess;
let socketPath: string;
/** Requests that servers received, other than health checks. */
let received: string[] = [];
/** Responds to a request whose body has arrived. */
let respond: (name: Name, response: ServerResponse) => void;

async function startServer(name: Name, port = 0): Promise<void> {
  const listener = async (message: IncomingMessage, response: ServerResponse) => {
    if (message.url === "/readyz") return void response.end();
    for await (const _ of message);
    received.push(`${name} ${message.method} ${message.url}`);
    respond(name, response);
  };
  const server = createServer((message, response) => void listener(message, response));
  await once(server.listen(port, "127.0.0.1"), "listening");
  servers.set(name, server);
}

function stopServer(name: Name): number {
  const server = servers.get(name) as Server;
  const { port } = server.address() as AddressInfo;
  server.close();
  server.closeAllConnections();
  return port;
}

/** Resolves to the status and the body. */
async function send(path: string, method = "POST"): Promise<string> {
  const sent = request({ socketPath, path, method, agent: false });
  sent.end(method === "POST" ? "{}" : undefined);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return `${response.statusCode} ${await text(response)}`;
}

const pathOf = (namespace: string) => `/v2/namespaces/${namespace}`;

describe.skipIf(!hasTool("haproxy", ["-v"]))("HAProxy", () => {
  beforeAll(async () => {
    directory = await temporaryDirectory();
    respond = (name, response) => response.end(name);
    await startServer("a");
    await startServer("b");
    socketPath = join(directory.path, "haproxy.socket");
    let config = readFileSync("deploy/haproxy.cfg", "utf8").replace(":8480", `unix@${socketPath}`);
    for (const [name, server] of servers) {
      const address = `server ${name} 127.0.0.1:${(server.address() as AddressInfo).port}`;
      config = config.replace(new RegExp(`server ${name} \\S+`), address);
    }
    const path = join(directory.path, "haproxy.cfg");
    await writeFile(path, config);
    const check = spawnSync("haproxy", ["-c", "-f", path], { encoding: "utf8" });
    expect(check.stdout + check.stderr).toContain("Configuration file is valid");
    expect(check.stderr).not.toContain("WARNING");
    proxy = spawn("haproxy", ["-db", "-f", path], { stdio: "ignore" });
    await vi.waitFor(() => send("/", "GET"), { timeout: 10_000 });
  });

  afterAll(async () => {
    proxy?.kill();
    for (const name of servers.keys()) stopServer(name);
    await directory?.remove();
  });

  test("sends all requests of a namespace to one server, and uses both", async () => {
    const used = new Set<string>();
    for (let i = 0; i < NAMESPACES; i++) {
      const answers = await Promise.all([
        send(pathOf(`n${i}`)),
        send(pathOf(`n${i}/query`)),
        send(pathOf(`n${i}`), "GET"),
      ]);
      expect(new Set(answers).size).toBe(1);
      used.add(answers[0]);
    }
    expect([...used].sort()).toEqual(["200 a", "200 b"]);
  });

  test("keeps metrics to itself", async () => {
    expect(await send("/metrics", "GET")).toMatch(/^404 /);
  });

  test("serves all namespaces when a server has stopped, without an error", async () => {
    const port = stopServer("a");
    for (let i = 0; i < NAMESPACES; i++) expect(await send(pathOf(`n${i}`))).toBe("200 b");
    await startServer("a", port);
  });

  test.each(["POST", "DELETE"])("sends a %s once if its response is lost", async (method) => {
    received = [];
    respond = (_, response) => response.destroy();
    expect(await send(pathOf("lost"), method)).toMatch(/^502 /);
    expect(received).toHaveLength(1);
  });
});
