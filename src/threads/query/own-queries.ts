/**
 * Which queries the main thread answers itself: one that came alone and is so short that to wake
 * another thread, and to be woken by its answer, takes longer. Where more is to be done each is
 * handed to a query thread: this one has enough to do with requests. What takes longer than was
 * thought is handed over, too, so that nobody else waits for more than a slice.
 */

import { KIB } from "../../base/byte-sizes.ts";
import type { NamespaceName } from "../../base/ids.ts";
import type { FromQueryThread, ToQueryThread } from "../thread-messages.ts";
import type { ThreadPort } from "../thread-port.ts";
import { QueryCosts } from "./query-costs.ts";

/** Longer bodies take too long to read. */
const BODY_BYTES_MAX = 4 * KIB;
/** Milliseconds of work up to which a query costs less than two threads to wake (ADR 29). */
const WORK_MS_MAX = 0.25;

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

/** Decides, and learns from what queries took, wherever they ran. */
export class OwnQueries {
  readonly port: OwnQueriesOptions["port"];
  readonly #afterTurn: OwnQueriesOptions["afterTurn"];
  readonly #costs = new QueryCosts();
  /** Those of this turn that are short. */
  #waiting: ((isOwn: boolean) => void)[] = [];

  constructor({ port, afterTurn }: OwnQueriesOptions) {
    this.port = port;
    this.#afterTurn = afterTurn;
  }

  /** Tells whether the main thread answers a query, once all that arrived with it was heard. */
  admits({ namespace, bodyBytes }: AskedQuery): Promise<boolean> | false {
    if (bodyBytes > BODY_BYTES_MAX) return false;
    const estimate = this.#costs.estimate(namespace, bodyBytes);
    if (estimate === undefined || estimate > WORK_MS_MAX) return false;
    if (this.#waiting.length === 0) this.#afterTurn(() => this.#decide());
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** Notes what a query took: its work, and what it waited for if it was answered here. */
  note({ namespace, bodyBytes }: AskedQuery, tookMs: number): void {
    this.#costs.note(namespace, bodyBytes, tookMs);
  }

  #decide(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve(waiting.length === 1);
  }
}
