import { once } from "node:events";
import { readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { InstantClock } from "../../../test/support/clocks/instant-clock.ts";
import { ManualClock } from "../../../test/support/clocks/manual-clock.ts";
import { jsonAnswer } from "../../../test/support/servers/fake-engine.ts";
import { type HttpChoices, httpFixture } from "../../../test/support/servers/http-fixture.ts";
import { temporaryDirectory } from "../../../test/support/stores/temporary-directory.ts";
import { KIB } from "../../base/byte-sizes.ts";
import { AuditLog, type AuditSink, fileSink } from "./audit-log.ts";

const REQUEST = { id: "r", origin: "::1" };
const EVENT = { action: "write", actor: undefined, targets: ["n"], status: 200 };

/** An audit into memory, whose sink a test stops. */
function auditOf(hasWrites = false) {
  const clock = new InstantClock();
  const state = {
    text: "",
    fails: false,
    logs: [] as string[],
    waits: undefined as undefined | Promise<void>,
  };
  const sink: AuditSink = async (text) => {
    await state.waits;
    if (state.fails) throw new Error("the disk is full");
    state.text += text;
  };
  const log = (level: string, message: string) => void state.logs.push(`${level} ${message}`);
  const audit = new AuditLog({ sink, clock, log, hasWrites });
  const lines = () =>
    state.text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { audit, clock, state, lines };
}

describe("lines", () => {
  test("are JSON with time, actor, targets and origin", async () => {
    const { audit, lines } = auditOf();
    const actor = { key: "0123456789abcdef", name: 'a "b"\n' };
    audit.note({ ...EVENT, actor }, REQUEST);
    audit.note(EVENT, { id: "s", origin: undefined });
    await audit.close();
    expect(lines()).toEqual([
      {
        time: "2026-01-01T00:00:00.000Z",
        action: "write",
        actor,
        targets: ["n"],
        origin: "::1",
        request: "r",
        status: 200,
      },
      expect.objectContaining({ actor: null, request: "s" }),
    ]);
  });

  test("are written in order, however they come", async () => {
    const { audit, lines } = auditOf();
    for (let status = 0; status < 500; status++) {
      audit.note({ ...EVENT, status }, REQUEST);
      if (status % 7 === 0) await new Promise((go) => setImmediate(go));
    }
    await audit.close();
    expect(lines().map(({ status }) => status)).toEqual([...Array(500).keys()]);
  });

  test("go to a file that may be moved away", async () => {
    const directory = await temporaryDirectory();
    const path = join(directory.path, "audit.log");
    const log = () => {};
    const audit = new AuditLog({
      sink: fileSink(path),
      clock: new ManualClock(),
      log,
      hasWrites: false,
    });
    audit.note(EVENT, REQUEST);
    await audit.close();
    await rename(path, `${path}.1`);
    audit.note(EVENT, REQUEST);
    await audit.close();
    for (const name of [path, `${path}.1`]) {
      expect(JSON.parse(await readFile(name, "utf8"))).toMatchObject({ action: "write" });
    }
    await directory.remove();
  });
});

describe("trouble", () => {
  test("is told once, and lines wait for its end", async () => {
    const { audit, state, lines } = auditOf();
    state.fails = true;
    audit.note(EVENT, REQUEST);
    audit.note(EVENT, REQUEST);
    for (let turn = 0; turn < 20; turn++) await new Promise((go) => setImmediate(go));
    expect(state.logs).toEqual(["error the audit cannot be written; it is tried again"]);
    state.fails = false;
    while (lines().length < 2) await new Promise((go) => setImmediate(go));
    expect(state.logs.slice(1)).toEqual(["info the audit is written again"]);
  });

  test("that lasts loses lines, which are counted everywhere", async () => {
    const { audit, state, lines } = auditOf();
    let go: () => void = () => {};
    state.waits = new Promise((resolve) => {
      go = resolve;
    });
    for (let count = 0; count < 20_000; count++) audit.note(EVENT, REQUEST);
    const [{ value: lost }] = audit.metrics();
    expect(lost).toBeGreaterThan(0);
    expect(state.logs).toEqual(["error lines of the audit are lost: too many wait to be written"]);
    go();
    await audit.close();
    expect(lines()).toHaveLength(20_000 - lost + 1);
    expect(lines().at(-1)).toMatchObject({ action: "lines_lost", count: lost });
  });

  test("does not keep a server from stopping", async () => {
    const { audit, state } = auditOf();
    state.fails = true;
    audit.note(EVENT, REQUEST);
    await audit.close();
    expect(state.logs.at(-1)).toBe("error the end of the audit could not be written");
    const hanging = auditOf();
    hanging.state.waits = new Promise(() => {});
    hanging.audit.note(EVENT, REQUEST);
    await hanging.audit.close();
    expect(hanging.state.logs).toEqual(["error the end of the audit could not be written"]);
  });
});

describe("requests", () => {
  async function served(hasWrites: boolean, choices: HttpChoices = {}) {
    const { audit, lines } = auditOf(hasWrites);
    const http = httpFixture({ apiKey: "root", audit, ...choices });
    await http.keys.open();
    const call = async (method: string, url: string, key?: string, body?: unknown) => {
      const answer = await http.server.app.inject({
        method: method as "GET",
        url,
        headers: { ...(key !== undefined && { authorization: `Bearer ${key}` }) },
        ...(body !== undefined && { payload: JSON.stringify(body) }),
      });
      await new Promise((go) => setImmediate(go));
      return answer;
    };
    return { ...http, call, audit, lines };
  }

  test("that change keys and namespaces are events, others are not", async () => {
    const { call, audit, lines, engine } = await served(false);
    const asked = { name: "app", actions: ["read"], namespaces: ["*"] };
    const { key, id } = (await call("POST", "/trawl/keys", "root", asked)).json();
    engine.answer = ({ operation }) => ({
      status: 200,
      headers: { "content-type": "application/json" },
      body: Buffer.from("{}"),
      ...(operation === "write" && { effects: [{ kind: "copied", source: "b" }] }),
    });
    await call("DELETE", "/v2/namespaces/a", "root");
    await call("DELETE", "/v2/namespaces/a", key);
    await call("DELETE", "/v2/namespaces/a", "wrong");
    await call("PATCH", "/v1/namespaces/a/metadata", "root", {});
    await call("POST", "/v1/namespaces/a/schema", "root", {});
    await call("POST", "/v2/namespaces/a", "root", {});
    await call("POST", "/v2/namespaces/a/query", key, {});
    await call("POST", "/trawl/tokens", key, { namespace: "a", filter: ["And", []] });
    await call("GET", "/trawl/keys", "root");
    await call("DELETE", `/trawl/keys/${id}`, "root");
    await call("DELETE", "/trawl/keys/unknown", "root");
    await audit.close();
    const seen = lines().map(({ action, actor, targets, status }) => {
      return [action, (actor as { name: string }).name, targets, status];
    });
    expect(seen).toEqual([
      ["create_key", "--api-key", [id], 200],
      ["delete_namespace", "--api-key", ["a"], 200],
      ["delete_namespace", "app", ["a"], 403],
      ["update_metadata", "--api-key", ["a"], 200],
      ["update_schema", "--api-key", ["a"], 200],
      ["copy_namespace", "--api-key", ["a", "b"], 200],
      ["issue_token", "app", ["a"], 200],
      ["revoke_key", "--api-key", [id], 200],
      ["revoke_key", "--api-key", ["unknown"], 404],
    ]);
    expect(JSON.stringify(lines())).not.toContain(key);
    expect(lines()[0]).toMatchObject({ origin: "127.0.0.1", request: expect.any(String) });
  });

  test("whose clients do not wait for the answer are events of what they did", async () => {
    const { lines, engine, server } = await served(false);
    const url = await server.listen();
    const leaving = new AbortController();
    engine.answer = async () => {
      const gone = once(engine.signals[0], "abort");
      leaving.abort();
      await gone;
      return { ...jsonAnswer({}), effects: [{ kind: "copied", source: "b" }] };
    };
    const headers = { authorization: "Bearer root" };
    const sent = { method: "POST", headers, body: "{}", signal: leaving.signal };
    await expect(fetch(`${url}/v2/namespaces/a`, sent)).rejects.toThrow();
    await vi.waitFor(() => expect(lines()).toHaveLength(1));
    await server.close();
    expect(lines()).toMatchObject([{ action: "copy_namespace", targets: ["a", "b"], status: 499 }]);
  });

  test("that are refused are events with what they asked for, whoever waits for that", async () => {
    const { call, audit, lines, engine, server } = await served(false);
    const refused = { effects: [{ kind: "copied", source: "b" }], status: 404 } as const;
    engine.answer = () => ({ ...jsonAnswer({}), status: 404, refused });
    await call("POST", "/v2/namespaces/a", "root", {});
    await call("POST", "/v2/namespaces/a/async", "root", {});
    const url = await server.listen();
    const leaving = new AbortController();
    engine.answer = async () => {
      const gone = once(engine.signals[2], "abort");
      leaving.abort();
      await gone;
      return { ...jsonAnswer({}), status: 404, refused };
    };
    const headers = { authorization: "Bearer root" };
    const sent = { method: "POST", headers, body: "{}", signal: leaving.signal };
    await expect(fetch(`${url}/v2/namespaces/c`, sent)).rejects.toThrow();
    await vi.waitFor(() => expect(lines()).toHaveLength(3));
    await server.close();
    await audit.close();
    expect(lines()).toMatchObject([
      { action: "copy_namespace", targets: ["a", "b"], status: 404 },
      { action: "copy_namespace", targets: ["a", "b"], status: 404 },
      { action: "copy_namespace", targets: ["c", "b"], status: 404 },
    ]);
  });

  test("whose answers find no room are events of what they did", async () => {
    const { audit, lines, engine, call } = await served(false, { answerBytesMax: 1 });
    const answer = { ...jsonAnswer("x".repeat(64 * KIB)), effects: [{ kind: "created" }] } as const;
    engine.answer = () => answer;
    expect((await call("POST", "/v2/namespaces/a", "root", {})).statusCode).toBe(429);
    await audit.close();
    expect(lines()).toMatchObject([{ action: "create_namespace", targets: ["a"], status: 429 }]);
  });

  test("that write are events where that is wanted", async () => {
    const { call, audit, lines } = await served(true);
    await call("POST", "/v2/namespaces/a", "root", {});
    await call("POST", "/v2/namespaces/a/query", "root", {});
    await audit.close();
    expect(lines()).toMatchObject([{ action: "write", targets: ["a"], status: 200 }]);
  });
});
