/** `trawl doctor` as users run it, in a process of its own. */

import { mkdir, readdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { runTrawl } from "../support/processes/run-trawl.ts";
import { TLS_PAIRS } from "../support/servers/tls-pairs.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;

beforeAll(async () => {
  directory = await temporaryDirectory();
});

afterAll(() => directory.remove());

interface Report {
  readonly ok: boolean;
  readonly findings: readonly { about: string; verdict: string; seen: string; cure?: string }[];
}

async function examine(...flags: string[]) {
  const { code, out } = await runTrawl(["doctor", "--json", ...flags]);
  const { ok, findings } = JSON.parse(out) as Report;
  const of = (about: string) => findings.find((finding) => finding.about === about);
  return { code, ok, of, faults: findings.filter(({ verdict }) => verdict === "fault") };
}

test("a place that a server can use is well, and nothing is left there", async () => {
  const data = join(directory.path, "absent");
  const absent = await examine("--data-dir", data, "--port", "0");
  expect([absent.code, absent.ok, absent.faults]).toEqual([0, true, []]);
  expect(absent.of("store")?.seen).toBe(`${data} is absent and can be made`);
  await mkdir(data);
  await mkdir(join(data, "format"));
  await writeFile(join(data, "format", "v1"), "");
  const there = await examine("--data-dir", data, "--port", "0");
  expect([there.code, there.of("store")?.verdict]).toEqual([0, "ok"]);
  expect(await readdir(directory.path)).toEqual(["absent"]);
  expect((await readdir(data)).filter((name) => !name.startsWith("~"))).toEqual(["format"]);
});

test("a place that cannot be used is a fault", async () => {
  const file = join(directory.path, "file");
  await writeFile(file, "");
  const { code, of } = await examine("--data-dir", join(file, "data"), "--port", "0");
  expect([code, of("store")]).toEqual([
    1,
    {
      about: "store",
      verdict: "fault",
      seen: `cannot use ${join(file, "data")}: it is a file, or lies below one`,
      cure: "choose a --data-dir that this user can write to",
    },
  ]);
});

test("settings that contradict each other are a fault, and the rest is told", async () => {
  const { out, code } = await runTrawl(["doctor", "--tls-cert", "cert.pem"]);
  expect(code).toBe(1);
  expect(out).toMatch(/^FAULT {4}configuration: --tls-cert is set without --tls-key/);
  expect(out).toMatch(/^ok +version: trawl \d/m);
  expect(out).toMatch(/\n1 fault, \d warnings?\n$/);
});

test("a server that everybody could reach without a key would not start", async () => {
  const absent = join(directory.path, "absent");
  const open = await examine("--data-dir", absent, "--host", "0.0.0.0", "--port", "0");
  expect([open.code, open.of("API key")?.verdict]).toEqual([1, "fault"]);
  expect(open.of("API key")?.seen).toMatch(/^--host 0.0.0.0 can be reached from other machines/);
  expect(open.of("API key")?.cure).toMatch(/^set --api-key \(or TRAWL_API_KEY\), listen on/);
  const wanted = ["--host", "0.0.0.0", "--allow-public-without-key", "--port", "0"];
  const allowed = await examine("--data-dir", absent, ...wanted);
  expect(allowed.of("API key")?.verdict).toBe("warning");
});

test("a server that runs there is told from another program", async () => {
  const port = new URL(inject("serverUrl")).port;
  const running = await examine("--data-dir", join(directory.path, "absent"), "--port", port);
  expect(running.of("address")).toEqual({
    about: "address",
    verdict: "ok",
    seen: `a server is there and ready: http://127.0.0.1:${port}`,
  });
  const other = createServer((_request, response) => response.end("hello"));
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const taken = String((other.address() as AddressInfo).port);
  const found = await examine("--data-dir", join(directory.path, "absent"), "--port", taken);
  expect([found.code, found.of("address")?.seen]).toEqual([
    1,
    `127.0.0.1 port ${taken} is in use by another program`,
  ]);
  other.closeAllConnections();
  other.close();
});

test("certificate and key are checked, and a server that speaks TLS is reported", async () => {
  const path = (name: string) => join(directory.path, name);
  const [{ cert, key }, other] = TLS_PAIRS;
  await writeFile(path("cert.pem"), cert);
  await writeFile(path("key.pem"), key);
  await writeFile(path("other.pem"), other.key);
  const examinePair = (keyName: string, port = "0") => {
    const pair = ["--tls-cert", path("cert.pem"), "--tls-key", path(keyName)];
    return examine("--data-dir", path("absent"), "--port", port, ...pair);
  };
  const wrong = await examinePair("other.pem");
  expect([wrong.code, wrong.of("TLS")]).toEqual([
    1,
    {
      about: "TLS",
      verdict: "fault",
      seen: expect.stringMatching(/other.pem is not the key of the certificate in .*cert.pem$/),
      cure: "give --tls-cert and --tls-key the files of one pair, in PEM",
    },
  ]);
  expect((await examinePair("none.pem")).of("TLS")?.seen).toMatch(/^--tls-key: cannot read /);
  const server = https.createServer({ cert, key }, (_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const port = String((server.address() as AddressInfo).port);
  const found = await examinePair("key.pem", port);
  expect(found.of("TLS")?.seen).toMatch(/^a certificate for .* until \d{4}-\d\d-/);
  expect(found.of("address")?.seen).toBe(`a server is there and ready: https://127.0.0.1:${port}`);
  server.closeAllConnections();
  server.close();
});

test("an address that this machine does not have is explained", async () => {
  const flags = ["--host", "203.0.113.7", "--api-key", "k", "--port", "8484"];
  const { of } = await examine("--data-dir", join(directory.path, "absent"), ...flags);
  expect(of("address")).toEqual({
    about: "address",
    verdict: "fault",
    seen: "cannot listen on 203.0.113.7 port 8484: this machine does not have the address",
    cure: "choose another --host",
  });
});

test("a bucket that cannot be reached is a fault", async () => {
  const environment = { AWS_ACCESS_KEY_ID: "none", AWS_SECRET_ACCESS_KEY: "none" };
  const bucket = ["--object-store", "s3://bucket/x", "--s3-endpoint", "http://127.0.0.1:1"];
  const cache = ["--disk-cache-dir", join(directory.path, "cache"), "--port", "0"];
  const { code, out } = await runTrawl(["doctor", ...bucket, ...cache], { environment });
  expect(code).toBe(1);
  expect(out).toMatch(/^FAULT +store: .*127.0.0.1:1/m);
  expect(out).toMatch(/^(?:ok|warning) +disk cache: .* free at /m);
});
