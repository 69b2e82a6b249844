/** A server that has nothing but objects to back up, and runs that copy them. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { seededRandom } from "../../../src/base/random.ts";
import { ApiClient } from "../../../src/client/api-client.ts";
import type { ObjectStore } from "../../../src/storage/object-store.ts";
import { BackupTarget } from "../../../src/transfer/backups/backup-target.ts";
import { type BackupOutcome, takeBackup } from "../../../src/transfer/backups/take-backup.ts";
import type { BackupFault } from "../../../src/transfer/backups/verify-backup.ts";
import { InstantClock } from "../clocks/instant-clock.ts";

/** How a test's run differs from others. */
export interface TakeOptions {
  readonly clock?: InstantClock;
  readonly faults?: readonly BackupFault[];
  /** `broken` is one that the server refuses, `torn` one of which it refuses an object. */
  readonly namespaces?: readonly string[];
}

/** See the file's head. The names of its objects alone say what they are, as those of segments. */
export class BackupSource {
  /** Bytes by key: what each namespace has now. */
  content = new Map(["a", "b", "c", "d"].map((name) => [`namespaces/${name}`, `bytes ${name}`]));
  /** Which object of `torn` it refuses. */
  tornAt = Number.POSITIVE_INFINITY;
  readonly #server: Server;
  readonly #client: ApiClient;
  readonly #random = seededRandom(2);

  private constructor(server: Server) {
    this.#server = server;
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.#client = new ApiClient({ url, clock: new InstantClock(), random: seededRandom(1) });
  }

  static async open(): Promise<BackupSource> {
    const server = createServer((request, response) => {
      source.#answer(request, response).catch((error) => response.destroy(error));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const source = new BackupSource(server);
    return source;
  }

  async close(): Promise<void> {
    this.#client.close();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Backs up into `store`, as `trawl backup` does. */
  take(store: ObjectStore, options: TakeOptions = {}): Promise<BackupOutcome> {
    const { clock = new InstantClock(), faults = [], namespaces = ["n"] } = options;
    return takeBackup(namespaces, {
      client: this.#client,
      signal: new AbortController().signal,
      target: new BackupTarget(store),
      clock,
      random: this.#random,
      faults,
      onBytes: () => {},
      judge: async (namespace) => (namespace === "n" ? "stop" : "failed"),
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const keys = [...this.content.keys()];
    const [, id, number] = /(\w+)\/objects\/(\d+)/.exec(request.url ?? "") ?? [];
    if (id === "torn" && Number(number) === this.tornAt) {
      refuse(response, "its object is damaged");
      return;
    }
    if (request.method === "GET" && number !== undefined) {
      const bytes = this.content.get(keys[Number(number)]);
      const body = Buffer.from(id === "torn" ? `torn ${bytes}` : `${bytes}`);
      const digest = await crypto.subtle.digest("SHA-256", body);
      response.setHeader("content-digest", `sha-256=:${Buffer.from(digest).toString("base64")}:`);
      response.setHeader("trawl-object-end", "true");
      response.end(body);
      return;
    }
    const body = await text(request);
    const namespace = body === "" ? "n" : JSON.parse(body).namespace;
    if (namespace === "broken") {
      refuse(response, "it is broken");
      return;
    }
    const state = { namespace, generation: 1, manifest_version: 1, sequence: 1 };
    const isTorn = namespace === "torn";
    const objects = keys.map((key) => ({ key: isTorn ? `${key}-torn` : key }));
    const begun = { id: isTorn ? "torn" : "1", ...state, has_import: false, objects };
    response.end(JSON.stringify(begun));
  }
}

function refuse(response: ServerResponse, error: string): void {
  response.writeHead(400, { "content-type": "application/json" });
  response.end(JSON.stringify({ status: "error", error }));
}
