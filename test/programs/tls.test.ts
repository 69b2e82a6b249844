/** A server that speaks TLS, as a process of its own. */

import { writeFile } from "node:fs/promises";
import { request } from "node:https";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startServer } from "../support/servers/server-process.ts";
import { TLS_PAIRS } from "../support/servers/tls-pairs.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

const [{ cert, key }, other] = TLS_PAIRS;

function ask(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/healthz`, { ca: cert, agent: false }, (answer) => {
      let text = "";
      answer.on("data", (bytes) => {
        text += String(bytes);
      });
      answer.on("end", () => resolve(text));
    });
    sent.on("error", reject).end();
  });
}

test("speaks HTTPS at the address that it prints, and stops cleanly", async () => {
  const directory = await temporaryDirectory();
  const path = (name: string) => join(directory.path, name);
  await writeFile(path("cert.pem"), cert);
  await writeFile(path("key.pem"), key);
  await writeFile(path("other.pem"), other.key);
  const flags = ["--query-threads", "1", "--indexer", "off", "--tls-cert", path("cert.pem")];
  const start = (keyName: string) =>
    startServer({
      dataDir: path("data"),
      arguments: [...flags, "--tls-key", path(keyName)],
    });
  await expect(start("other.pem")).rejects.toThrow("is not the key of the certificate");
  await expect(start("absent.pem")).rejects.toThrow("--tls-key: cannot read");
  const server = await start("key.pem");
  expect(server.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  expect(JSON.parse(await ask(server.url))).toEqual({ status: "OK" });
  expect(await server.stop()).toBe(0);
  expect(server.output()).toContain(`TURBOPUFFER_BASE_URL=${server.url}`);
  await directory.remove();
});
