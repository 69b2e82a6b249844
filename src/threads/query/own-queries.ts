/**
 * Which queries the main thread answers itself: one that came alone and is so short that to wake
 * another thread, and to be woken by its answer, takes longer; and, while long queries hold all
 * query threads, a few that are done within a slice, since there they would wait for slices of the
 * long ones, and for a core. Where more is to be done each is handed to a query thread: this one
 * has enough to do with requests. What takes longer than was thought is handed over, too, so that
 * nobody else waits for more than a slice.
 */

import { KIB } from "../../base/byte-sizes.ts";
import type { NamespaceName } from "../../base/ids.ts";
import type { FromQueryThread, ToQueryThread } from "../thread-messages.ts";
import type { ThreadPort } from "../thread-port.ts";
import { QueryCosts } from "./query-costs.ts";
import { SLICE_MS } from "./turns/query-turns.ts";

/** Longer bodies take too long to read. */
const BODY_BYTES_MAX = 4 * KIB;
/** Milliseconds of work up to which a query costs less than two threads to wake (ADR 29). */
const WORK_MS_MAX = 0.25;
/** Short queries that are answered here at a time while the query threads are held. */
export const BESIDE_COUNT_MAX = 4;

/** The main thread's own service of queries. */
export interface OwnQueriesOptions {
  readonly port: ThreadPort<ToQueryThread, FromQueryThread>;
  /** Calls back when all that has arrived by now was heard. */
  afterTurn(callback: () => void): void;
}

/** A query before it is read. */
interface AskedQuery {
  readonly namespace: NamespaceName;
  readonly bodyBytes: number;
}

/** What else runs: nothing, or long queries on all query threads. */
export type OwnRoom = "alone" | "beside";

interface WaitingQuery {
  readonly room: OwnRoom;
  readonly resolve: (isOwn: boolean) => void;
}

/** Decides, and learns from what queries took, wherever they ran. */
export class OwnQueries {
  readonly port: OwnQueriesOptions["port"];
  readonly #afterTurn: OwnQueriesOptions["afterTurn"];
  readonly #costs = new QueryCosts();
  /** Those of this turn that are short. */
  #waiting: WaitingQuery[] = [];

  constructor({ port, afterTurn }: OwnQueriesOptions) {
    this.port = port;
    this.#afterTurn = afterTurn;
  }

  /** Tells whether the main thread answers a query, once all that arrived with it was heard. */
  admits({ namespace, bodyBytes }: AskedQuery, room: OwnRoom): Promise<boolean> | false {
    if (bodyBytes > BODY_BYTES_MAX) return false;
    const cost = this.#costs.estimate(namespace, bodyBytes);
    if (cost === undefined) return false;
    const isShort = room === "alone" ? cost.recentMs <= WORK_MS_MAX : cost.usualMs <= SLICE_MS;
    if (!isShort) return false;
    if (this.#waiting.length === 0) this.#afterTurn(() => this.#decide());
    return new Promise((resolve) => {
      this.#waiting.push({ room, resolve });
    });
  }

  /** Notes what a query took: its work, and what it waited for if it was answered here. */
  note({ namespace, bodyBytes }: AskedQuery, tookMs: number): void {
    this.#costs.note(namespace, bodyBytes, tookMs);
  }

  #decide(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    waiting.forEach(({ room, resolve }, i) => {
      resolve(room === "alone" ? waiting.length === 1 : i < BESIDE_COUNT_MAX);
    });
  }
}
