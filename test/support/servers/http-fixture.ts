/** An HTTP server over a fake engine, with a clock that a test moves by hand. */

import { KeyRing } from "../../../src/access/key-ring.ts";
import { KeyStore } from "../../../src/access/key-store.ts";
import type { Engine } from "../../../src/api/engine.ts";
import { type Clock, systemClock } from "../../../src/base/clock.ts";
import { seededRandom } from "../../../src/base/random.ts";
import type { TlsFiles } from "../../../src/http/connections/tls-files.ts";
import type { HttpConfig } from "../../../src/http/http-config.ts";
import { HttpServer } from "../../../src/http/http-server.ts";
import type { AuditLog } from "../../../src/http/observability/audit-log.ts";
import type { PageSite } from "../../../src/http/pages/page-site.ts";
import { PrivateFailuresStore } from "../../../src/storage/private-failures-store.ts";
import { fixtureSeed } from "../random/fixture-seeds.ts";
import { MemoryObjectStore } from "../stores/memory-object-store.ts";
import { FakeEngine } from "./fake-engine.ts";

/** A log line as the server gave it. */
export interface LoggedLine {
  readonly level: string;
  readonly message: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** See the file's head. */
export interface HttpFixture {
  readonly engine: FakeEngine;
  readonly server: HttpServer;
  /** Its keys are in `keyStore`. */
  readonly keys: KeyRing;
  readonly keyStore: MemoryObjectStore;
  readonly clock: Clock;
  readonly lines: LoggedLine[];
  /** Ends all that the server waits for by its clock. */
  readonly wake: () => void;
  /** Moves its monotonic clock on. */
  readonly forward: (ms: number) => void;
  /** Runs what the server does periodically, `count` times. */
  readonly tick: (count: number) => void;
}

/** What a test may choose. */
export interface HttpChoices extends Partial<HttpConfig> {
  readonly apiKey?: string;
  /** Answers instead of the fake engine. */
  readonly serves?: Engine;
  readonly tls?: TlsFiles;
  readonly audit?: AuditLog;
  /** Where API keys are; absent: in a store of its own. */
  readonly keyStore?: MemoryObjectStore;
  readonly sites?: readonly PageSite[];
  /** The server's monotonic clock; absent: the machine's. */
  readonly monotonicMs?: () => number;
}

/** Creates the server; it does not listen yet, and has not looked for keys. */
export function httpFixture({ apiKey, ...choices }: HttpChoices = {}): HttpFixture {
  const { keyStore = new MemoryObjectStore(), serves, tls, audit, sites, ...others } = choices;
  const { monotonicMs = systemClock.monotonicMs, ...config } = others;
  const engine = new FakeEngine();
  const lines: LoggedLine[] = [];
  const actions = new Set<() => void>();
  const sleepers = new Set<() => void>();
  let aheadMs = 0;
  const clock: Clock = {
    ...systemClock,
    monotonicMs: () => monotonicMs() + aheadMs,
    sleep: (_ms, signal) =>
      new Promise((resolve, reject) => {
        sleepers.add(resolve);
        signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
      }),
    every: (_ms, action) => {
      actions.add(action);
      return () => actions.delete(action);
    },
  };
  const random = seededRandom(1);
  const log = (level: string, message: string, facts: LoggedLine["facts"] = {}) => {
    lines.push({ level, message, facts });
  };
  const keyObjects = new PrivateFailuresStore(keyStore);
  const store = new KeyStore({ store: keyObjects, random: seededRandom(fixtureSeed()), log });
  const keys = new KeyRing({ store, clock, log, bootstrapKey: apiKey });
  const server = new HttpServer({
    config: {
      host: "127.0.0.1",
      port: 0,
      allowedHosts: [],
      allowedOrigins: [],
      bodyBytesInFlightMax: 2 ** 30,
      answerBytesMax: 2 ** 28,
      answerStallMs: 30_000,
      drainDelayMs: 0,
      slowRequestMs: 0,
      slowRequestsLoggedMax: 60,
      metricsNamespacesMax: 20,
      strict: false,
      mcp: "writing",
      ...config,
    },
    engine: serves ?? engine,
    keys,
    tls,
    sites: sites ?? [],
    audit,
    openapi: async () => ({ openapi: "3.1.0" }),
    clock,
    random,
    log,
    version: "0.0.0-test",
  });
  const tick = (count: number) => {
    for (let i = 0; i < count; i++) for (const action of actions) action();
  };
  const wake = () => {
    for (const resolve of sleepers) resolve();
    sleepers.clear();
  };
  const forward = (ms: number) => {
    aheadMs += ms;
  };
  return { engine, server, keys, keyStore, clock, lines, forward, tick, wake };
}
