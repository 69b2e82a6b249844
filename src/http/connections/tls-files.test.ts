import { readFile, rename, symlink, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { createConnection } from "node:net";
import { join } from "node:path";
import type { PeerCertificate, TLSSocket } from "node:tls";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type HttpFixture, httpFixture } from "../../../test/support/servers/http-fixture.ts";
import { TLS_PAIRS } from "../../../test/support/servers/tls-pairs.ts";
import { temporaryDirectory } from "../../../test/support/stores/temporary-directory.ts";
import { TlsFiles } from "./tls-files.ts";

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let certPath = "";
let keyPath = "";
const [first, second] = TLS_PAIRS;

beforeEach(async () => {
  directory = await temporaryDirectory();
  certPath = join(directory.path, "cert.pem");
  keyPath = join(directory.path, "key.pem");
  await put(first);
});

afterEach(() => directory.remove());

async function put({ cert, key }: { cert?: string; key?: string }): Promise<void> {
  // Under another name first: nobody sees half a file, and no two files are taken for the same.
  for (const [path, text] of [
    [certPath, cert],
    [keyPath, key],
  ] as const) {
    if (text === undefined) continue;
    await writeFile(`${path}.new`, text);
    await rename(`${path}.new`, path);
  }
}

const open = () => TlsFiles.open({ certPath, keyPath });

describe("the files", () => {
  test("are looked at, and the pair is the newest that is good", async () => {
    const files = await open();
    expect(files.pair.cert.toString()).toBe(first.cert);
    expect(await files.look()).toEqual({ kind: "same" });
    await put({ cert: second.cert });
    expect(await files.look()).toEqual({
      kind: "unusable",
      reason: `--tls-key: ${keyPath} is not the key of the certificate in ${certPath}`,
    });
    expect(await files.look()).toEqual({ kind: "same" });
    await put({ key: second.key });
    expect(await files.look()).toMatchObject({ kind: "changed", validTo: expect.any(String) });
    expect(await files.look()).toEqual({ kind: "same" });
  });

  test("may be links that are exchanged", async () => {
    const real = certPath;
    certPath = join(directory.path, "link.pem");
    await symlink(real, certPath);
    const files = await open();
    await writeFile(join(directory.path, "other.pem"), second.cert);
    await symlink(join(directory.path, "other.pem"), `${certPath}.new`);
    await rename(`${certPath}.new`, certPath);
    await put({ key: second.key });
    expect(await files.look()).toMatchObject({ kind: "changed" });
  });

  test.each([
    [{ cert: "nonsense" }, "--tls-cert: ", "is no certificate in PEM"],
    [{ key: "nonsense" }, "--tls-key: ", "is no private key in PEM"],
    [{ cert: "" }, "--tls-cert: ", "is no certificate in PEM"],
    [{ key: second.key }, "--tls-key: ", "is not the key of the certificate"],
  ])("that make no pair are refused %#", async (pair, setting, fault) => {
    await put(pair);
    await expect(open()).rejects.toThrow(setting);
    await expect(open()).rejects.toThrow(fault);
    await expect(open()).rejects.toThrow(
      expect.objectContaining({ message: expect.not.stringContaining("nonsense") }),
    );
  });

  test("that could not be read are read again, and it is told once", async () => {
    let fails = false;
    const read = (path: string) =>
      fails ? Promise.reject(new Error("too many open files")) : readFile(path);
    const files = await TlsFiles.open({ certPath, keyPath }, read);
    fails = true;
    await put(second);
    expect(await files.look()).toMatchObject({ kind: "unusable" });
    expect(await files.look()).toEqual({ kind: "same" });
    fails = false;
    expect(await files.look()).toMatchObject({ kind: "changed" });
    expect(await files.look()).toEqual({ kind: "same" });
  });

  test("that are not there are named", async () => {
    keyPath = join(directory.path, "absent.pem");
    await expect(open()).rejects.toThrow(`--tls-key: cannot read ${keyPath}`);
  });
});

describe("a server with TLS", () => {
  let http: HttpFixture;
  let url = "";

  beforeEach(async () => {
    http = httpFixture({ tls: await open(), apiKey: "k" });
    url = await http.server.listen();
  });

  afterEach(async () => {
    let closed = false;
    const closing = http.server.close().finally(() => {
      closed = true;
    });
    while (!closed) {
      http.wake();
      http.tick(1);
      await new Promise((go) => setImmediate(go));
    }
    await closing;
  });

  /** The status of an answer, and the name in the certificate. */
  function ask(body?: string): Promise<[number | undefined, string]> {
    return new Promise((resolve, reject) => {
      const sent = request(
        `${url}/v2/namespaces/a/query`,
        {
          method: "POST",
          agent: false,
          ca: [first.cert, second.cert],
          headers: { authorization: "Bearer k" },
        },
        (answer) => {
          const { socket } = answer;
          const peer = (socket as TLSSocket).getPeerCertificate() as PeerCertificate;
          answer.resume().on("end", () => resolve([answer.statusCode, String(peer.subject.CN)]));
        },
      );
      sent.on("error", reject);
      sent.end(body);
    });
  }

  const lines = () => http.lines.filter(({ message }) => message.includes("TLS certificate"));

  async function look(count: number): Promise<void> {
    http.tick(1);
    while (lines().length < count) await new Promise((go) => setImmediate(go));
  }

  test("answers, and takes over a new certificate while it runs", async () => {
    expect(url).toMatch(/^https:/);
    expect(await ask('{"x":1}')).toEqual([200, "trawl test 1"]);
    expect(http.engine.seen[0].body).toBe('{"x":1}');
    await put(second);
    await look(1);
    expect(await ask()).toEqual([200, "trawl test 2"]);
    await put({ key: "nonsense" });
    await look(2);
    expect(await ask()).toEqual([200, "trawl test 2"]);
    expect(lines()).toMatchObject([
      { level: "info", message: "a new TLS certificate is used" },
      { level: "error", facts: { error: expect.stringContaining("is no private key in PEM") } },
    ]);
    await put(first);
    await look(3);
    expect(await ask()).toEqual([200, "trawl test 1"]);
  });

  test("ends connections that are not TLS", async () => {
    const { port } = new URL(url);
    const received = await new Promise<string>((resolve) => {
      let text = "";
      const socket = createConnection(Number(port), "127.0.0.1");
      socket.on("data", (bytes) => {
        text += bytes.toString("latin1");
      });
      socket.on("close", () => resolve(text));
      socket.on("error", () => {});
      socket.write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");
    });
    expect(received).not.toContain("200");
    expect((await ask())[0]).toBe(200);
  });
});
