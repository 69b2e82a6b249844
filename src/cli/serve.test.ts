/** The server as a process: its banner, its refusals to start, and what signals do. */

import { type ChildProcess, spawn } from "node:child_process";
import { Turbopuffer } from "@turbopuffer/turbopuffer";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { InstantClock } from "../../test/support/clocks/instant-clock.ts";
import { pause } from "../../test/support/clocks/pause.ts";
import { effort } from "../../test/support/effort.ts";
import { productEnvironment } from "../../test/support/processes/environment.ts";
import { FakeEngine } from "../../test/support/servers/fake-engine.ts";
import { fakeProgram } from "../../test/support/servers/fake-program.ts";

const PROGRAM = new URL("../../test/support/processes/serve-fake.ts", import.meta.url).pathname;

class Server {
  readonly child: ChildProcess;
  stdout = "";
  stderr = "";
  readonly ended: Promise<number | null>;

  constructor(args: readonly string[], environment: Record<string, string> = {}) {
    const env = { ...productEnvironment(), TRAWL_DRAIN_DELAY: "0s", ...environment };
    this.child = spawn(process.execPath, [PROGRAM, ...args], { env });
    this.child.stdout?.on("data", (chunk) => {
      this.stdout += String(chunk);
    });
    this.child.stderr?.on("data", (chunk) => {
      this.stderr += String(chunk);
    });
    this.ended = new Promise((resolve) => this.child.on("close", resolve));
  }

  /** Waits until `done` holds; fails when the process ends before. */
  async until(done: () => boolean): Promise<void> {
    let ended = false;
    void this.ended.then(() => {
      ended = true;
    });
    while (!done()) {
      if (ended) throw new Error(`the process ended: ${this.stdout}${this.stderr}`);
      await pause(10);
    }
  }

  async url(): Promise<string> {
    await this.until(() => this.stdout.includes("TURBOPUFFER_API_KEY"));
    return /TURBOPUFFER_BASE_URL=(\S+)/.exec(this.stdout)?.[1] as string;
  }
}

const started: Server[] = [];

function start(args: readonly string[], environment?: Record<string, string>): Server {
  const server = new Server(args, environment);
  started.push(server);
  return server;
}

afterEach(() => {
  for (const { child } of started.splice(0)) child.kill("SIGKILL");
});

/** Starts a server in this process that must not come up; why it did not, and its engine. */
async function refusal(args: readonly string[], environment: Record<string, string> = {}) {
  const engine = new FakeEngine();
  const program = fakeProgram({ engine, clock: new InstantClock(), environment });
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({ writeErr: () => {} });
  }
  const known = process.listeners("exit");
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    return { message: (error as Error).message, engine };
  } finally {
    // What was logged would be written when the process ends.
    for (const listener of process.listeners("exit")) {
      if (!known.includes(listener)) process.removeListener("exit", listener);
    }
  }
  throw new Error(`${args.join(" ")} started a server`);
}

describe("starting", () => {
  let server: Server;
  let url: string;

  beforeAll(async () => {
    server = new Server(["serve", "--port", "0", "--data-dir", "/tmp/some-where"]);
    url = await server.url();
  });

  afterAll(() => server.child.kill("SIGKILL"));

  test("prints a banner with everything that a client needs", async () => {
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(server.stdout).toMatch(/^Trawl 0\.0\.0-test\n/);
    expect(server.stdout).toContain(`address         ${url}\n`);
    expect(server.stdout).toContain("data directory  /tmp/some-where\n");
    expect(server.stdout).toContain("storage         local directory");
    expect(server.stdout).toContain("authentication  off");
    const client = new Turbopuffer({ baseURL: url, apiKey: "unused" });
    expect(await client.namespace("a").deleteAll()).toMatchObject({ status: "OK" });
  });

  test("logs JSON lines when stderr is no terminal", async () => {
    await fetch(`${url}/v1/namespaces`, { headers: { "x-request-id": "seen" } });
    await server.until(() => server.stderr.includes('"request":"seen"'));
    const lines = server.stderr.trim().split("\n");
    const last = lines.map((line) => JSON.parse(line)).at(-1);
    expect(last).toMatchObject({ message: "request", operation: "list_namespaces", status: 200 });
  });

  test("says which port is in use", async () => {
    const { port } = new URL(url);
    const { message, engine } = await refusal(["serve", "--port", port]);
    expect(message).toContain(`127.0.0.1 port ${port} is in use`);
    expect(engine.closed).toBe(true);
  });

  test("the banner never shows the key", async () => {
    const locked = start(["serve"], { TRAWL_PORT: "0", TRAWL_API_KEY: "tpuf_secret" });
    const baseURL = await locked.url();
    expect(locked.stdout).toContain("authentication  on");
    expect(locked.stdout + locked.stderr).not.toContain("tpuf_secret");
    const wrong = new Turbopuffer({ baseURL, apiKey: "tpuf_wrong", maxRetries: 0 });
    await expect(wrong.namespace("a").deleteAll()).rejects.toMatchObject({ status: 401 });
    const right = new Turbopuffer({ baseURL, apiKey: "tpuf_secret" });
    await right.namespace("a").deleteAll();
  });

  test.each([
    [["serve", "--prot", "1"], {}, "Did you mean --port?"],
    [["serv"], {}, "Did you mean serve?"],
    [["serve", "--port", "http"], {}, '--port: "http" is not a whole number from 0 to 65535'],
    [["serve"], { TRAWL_DATADIR: "x" }, "the nearest setting is TRAWL_DATA_DIR"],
    [["serve", "--config", "/nowhere.json"], {}, "cannot read the configuration file"],
  ])("refuses %j %j", async (args, environment, message) => {
    const refused = await refusal(args, environment as Record<string, string>);
    expect(refused.message).toContain(message);
    expect(refused.engine.closed).toBe(false);
  });

  test("a process that is refused ends with 1 and says why on stderr alone", async () => {
    const refused = start(["serve", "--prot", "1"]);
    expect(await refused.ended).toBe(1);
    expect(refused.stderr).toContain("Did you mean --port?");
    expect(refused.stdout).toBe("");
  });

  test("a process on a public address without a key exits with 1 and the reason", async () => {
    const refused = start(["serve", "--port", "0", "--host", "0.0.0.0"]);
    expect(await refused.ended).toBe(1);
    expect(refused.stderr).toContain("no API key is set");
    // The engine was open by then; no banner follows.
    expect(refused.stdout).toBe("engine closed\n");
  });
});

test("a server goes on when nobody reads its audit on stdout any more", async () => {
  const server = start(["serve", "--port", "0", "--audit-log", "stdout"]);
  const url = await server.url();
  server.child.stdout?.destroy();
  await fetch(`${url}/v2/namespaces/a`, { method: "DELETE" });
  await server.until(() => server.stderr.includes("the audit cannot be written"));
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

describe("stopping", () => {
  test.each((["SIGTERM", "SIGINT"] as const).slice(0, effort({ usual: 1, full: 2 })))(
    "%s lets a query finish, then exits 0",
    async (signal) => {
      const server = start(["serve", "--port", "0"]);
      const url = await server.url();
      const answer = fetch(`${url}/v2/namespaces/a/query`, { method: "POST", body: "{}" });
      await inFlight(url, 2);
      server.child.kill(signal);
      await server.until(() => server.stderr.includes("finishing the requests in progress"));
      await expect(fetch(`${url}/healthz`)).rejects.toThrow();
      server.child.stdin?.write("go\n");
      expect(await (await answer).json()).toEqual({ rows: [] });
      expect(await server.ended).toBe(0);
      expect(server.stdout).toContain("engine closed");
    },
  );

  test("a repeated signal counts as one, a second one ends the process at once", async () => {
    const server = start(["serve", "--port", "0"]);
    const url = await server.url();
    const answer = fetch(`${url}/v2/namespaces/a/query`, { method: "POST", body: "{}" });
    const lost = expect(answer).rejects.toThrow();
    await inFlight(url, 2);
    server.child.kill("SIGINT");
    server.child.kill("SIGINT");
    await server.until(() => server.stderr.includes("finishing the requests in progress"));
    server.child.stdin?.write("later\n");
    await server.until(() => server.stdout.includes("it is later"));
    expect(server.child.exitCode).toBeNull();
    server.child.kill("SIGINT");
    expect(await server.ended).toBe(130);
    await lost;
  });
});

describe("the drain delay", () => {
  test("is for load balancers: not ready, and served", async () => {
    const server = start(["serve", "--port", "0", "--drain-delay", "5m"]);
    const url = await server.url();
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    server.child.kill("SIGTERM");
    await server.until(() => server.stderr.includes("finishing the requests in progress"));
    for (const [path, status] of [
      ["/readyz", 503],
      ["/healthz", 200],
      ["/v1/namespaces", 200],
    ]) {
      const answer = await fetch(url + path);
      expect([path, answer.status]).toEqual([path, status]);
      expect(answer.headers.get("connection")).toBe("close");
    }
    server.child.stdin?.write("later\n");
    await server.until(() => server.stdout.includes("it is later"));
    server.child.kill("SIGTERM");
    expect(await server.ended).toBe(130);
  });

  test("is over by itself", async () => {
    const server = start(["serve", "--port", "0", "--drain-delay", "200ms"]);
    const url = await server.url();
    server.child.kill("SIGTERM");
    expect(await server.ended).toBe(0);
    expect(server.stdout).toContain("engine closed");
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  });
});

/** Waits until the server counts `count` requests in flight, the one that asks included. */
async function inFlight(url: string, count: number): Promise<void> {
  for (;;) {
    const text = await (await fetch(`${url}/metrics`)).text();
    if (text.includes(`trawl_http_requests_in_flight ${count}\n`)) return;
  }
}
