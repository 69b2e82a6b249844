/** Proxies in front of a server, as deploy/ configures them: both ways are streamed. */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer, request, type Server, type ServerResponse } from "node:http";
import { type RequestOptions, request as tlsRequest } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasTool } from "../support/processes/find-tool.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

const NAME = "search.example";

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let upstream: Server;
/** What the server behind the proxy does with a request. */
let serve: (body: AsyncIterable<Buffer>, response: ServerResponse, host: string) => Promise<void>;

beforeAll(async () => {
  directory = await temporaryDirectory();
  upstream = createServer((message, response) => {
    void serve(message, response, String(message.headers.host));
  }).listen(0, "127.0.0.1");
  await once(upstream, "listening");
});

afterAll(async () => {
  upstream.closeAllConnections();
  upstream.close();
  await directory.remove();
});

interface Proxy {
  readonly hasIt: boolean;
  /** Starts it on a local socket in front of the server, and returns the process. */
  start(socket: string, server: string): Promise<ChildProcess>;
  readonly send: typeof request;
}

const nginx: Proxy = {
  hasIt: hasTool("nginx", ["-v"]) && hasTool("openssl", ["version"]),
  send: tlsRequest,
  start: async (socket, server) => {
    const [key, certificate] = [join(directory.path, "key.pem"), join(directory.path, "cert.pem")];
    const subject = ["-subj", `/CN=${NAME}`, "-keyout", key, "-out", certificate];
    spawnSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", ...subject]);
    const text = readFileSync("deploy/nginx.conf", "utf8")
      .replace("127.0.0.1:8484", server)
      .replace("listen 443 ssl http2", `listen unix:${socket} ssl http2`)
      .replace("    listen [::]:443 ssl http2;\n", "")
      .replace(/ssl_certificate .*;/, `ssl_certificate ${certificate};`)
      .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${key};`);
    const around =
      `daemon off; master_process off; pid ${directory.path}/nginx.pid;\n` +
      `error_log ${directory.path}/nginx.log; events {}\nhttp { access_log off;\n${text}\n}\n`;
    const path = join(directory.path, "nginx.conf");
    await writeFile(path, around);
    const test = spawnSync("nginx", ["-t", "-c", path], { encoding: "utf8" });
    expect(test.stderr).toContain("test is successful");
    expect(test.stderr).not.toContain("[warn]");
    return spawn("nginx", ["-c", path], { stdio: "ignore" });
  },
};

const caddy: Proxy = {
  hasIt: hasTool("caddy", ["version"]),
  send: request,
  start: async (socket, server) => {
    const text = readFileSync("deploy/Caddyfile", "utf8");
    const path = join(directory.path, "Caddyfile");
    const validate = ["validate", "--adapter", "caddyfile", "--config"];
    const checked = spawnSync("caddy", [...validate, "deploy/Caddyfile"], { encoding: "utf8" });
    expect(checked.stderr + checked.stdout).toContain("Valid configuration");
    // Certificates come from elsewhere.
    const local = text
      .replace(`${NAME} {`, `http://${NAME} {\n\tbind unix/${socket}`)
      .replace("127.0.0.1:8484", server);
    await writeFile(path, `{\n\tadmin off\n\tauto_https off\n}\n${local}`);
    const env = { ...process.env, HOME: directory.path };
    const args = ["run", "--adapter", "caddyfile", "--config", path];
    return spawn("caddy", args, { env, stdio: "ignore" });
  },
};

describe.each(Object.entries({ nginx, caddy }))("%s", (name, proxy) => {
  let child: ChildProcess;
  let socketPath: string;

  beforeAll(async () => {
    if (!proxy.hasIt) return;
    socketPath = join(directory.path, `${name}.sock`);
    const { port } = upstream.address() as AddressInfo;
    child = await proxy.start(socketPath, `127.0.0.1:${port}`);
    while (!existsSync(socketPath)) {
      if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}`);
      await new Promise((resolve) => setImmediate(resolve));
    }
  });

  afterAll(async () => {
    if (!proxy.hasIt) return;
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  });

  const open = (method: string, path: string) => {
    const options: RequestOptions & { readonly servername: string } = {
      socketPath,
      method,
      path,
      // The certificate is the test's own.
      rejectUnauthorized: false,
      servername: NAME,
      headers: { host: NAME, ...(method === "POST" && { "transfer-encoding": "chunked" }) },
    };
    return proxy.send(options);
  };

  test.runIf(proxy.hasIt)("hands a body on as it comes, and an answer, with the name", async () => {
    const began = Promise.withResolvers<void>();
    const read = Promise.withResolvers<void>();
    serve = async (body, response, host) => {
      for await (const _ of body) began.resolve();
      response.write(host);
      await read.promise;
      response.end(" and more");
    };
    const message = open("POST", "/v2/namespaces/a");
    message.write("the first part");
    // It would wait for ever if the proxy kept the body until its end.
    await began.promise;
    message.end("the last part");
    const [answer] = await once(message, "response");
    const [first] = await once(answer, "data");
    expect(String(first)).toBe(NAME);
    read.resolve();
    expect(Buffer.concat(await answer.toArray()).toString()).toBe(" and more");
  });

  test.runIf(proxy.hasIt)("hands a body on that is larger than others allow", async () => {
    let bytes = 0;
    serve = async (body, response) => {
      bytes = 0;
      for await (const chunk of body) bytes += chunk.length;
      response.end("taken");
    };
    const message = open("POST", "/v2/namespaces/a");
    const chunk = Buffer.alloc(1024 * 1024);
    for (let sent = 0; sent < 16; sent++) {
      if (!message.write(chunk)) await once(message, "drain");
    }
    message.end();
    const [answer] = await once(message, "response");
    expect(answer.statusCode).toBe(200);
    answer.resume();
    expect(bytes).toBe(16 * chunk.length);
  });

  test.runIf(proxy.hasIt)("keeps the server's metrics to the machine", async () => {
    serve = async (_, response) => void response.end("numbers");
    const [answer] = await once(open("GET", "/metrics").end(), "response");
    answer.resume();
    expect(answer.statusCode).toBe(404);
  });
});
