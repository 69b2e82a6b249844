/**
 * Tracks the connections that wait for their next request. Connections that are idle for too long
 * are closed. When there are too many connections, the longest idle ones are closed, so that idle
 * clients do not keep new ones out. A connection that has received bytes since it became idle is
 * about to have a request. It is closed only if there are too many connections and all idle ones
 * have received bytes. Otherwise only a request that was just sent and is not read yet may be lost.
 */

import type { Socket } from "node:net";
import type { Clock } from "../../base/clock.ts";

/** What is needed of a connection. */
type Connection = Pick<Socket, "once" | "destroy" | "bytesRead">;

/** Bounds of idle connections. */
export interface IdleLimits {
  /** From so many open connections on, answers announce the end of theirs. */
  readonly announcedCount: number;
  /** From so many open connections on, each new one ends an idle one. */
  readonly crowdedCount: number;
  /** Milliseconds for which a connection may idle, used or not. */
  readonly idleMs: number;
}

interface Idleness {
  readonly sinceMs: number;
  /** Bytes that the connection had received by then. */
  readonly bytesRead: number;
}

/** The connections of one server. */
export class IdleConnections {
  readonly #limits: IdleLimits;
  readonly #clock: Pick<Clock, "monotonicMs">;
  /** Requests in progress by connection; has all open connections. */
  readonly #requests = new Map<Connection, number>();
  /** Those without any, the longest idle first. */
  readonly #idle = new Map<Connection, Idleness>();

  constructor(limits: IdleLimits, clock: Pick<Clock, "monotonicMs">) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /**
   * True if clients should open a new connection for each request, so that unused ones become free.
   */
  get areMany(): boolean {
    return this.#requests.size >= this.#limits.announcedCount;
  }

  /** A client has connected. */
  add(connection: Connection): void {
    if (this.#requests.size >= this.#limits.crowdedCount) this.#endOldest();
    this.#requests.set(connection, 0);
    this.#rest(connection);
    connection.once("close", () => this.#forget(connection));
  }

  /** A connection has become another one, as by a TLS handshake. */
  exchange(before: Connection, after: Connection): void {
    this.#forget(before);
    this.add(after);
  }

  /** A request has begun. */
  begin(connection: Connection): void {
    const count = this.#requests.get(connection);
    if (count === undefined) return;
    this.#requests.set(connection, count + 1);
    this.#idle.delete(connection);
  }

  /** A request has arrived to its end and been answered, or will never be. */
  end(connection: Connection): void {
    const count = this.#requests.get(connection);
    if (count === undefined) return;
    this.#requests.set(connection, count - 1);
    if (count === 1) this.#rest(connection);
  }

  /** Ends all that idle: the server stops. */
  endAll(): void {
    for (const [connection, idleness] of this.#idle) {
      if (connection.bytesRead === idleness.bytesRead) connection.destroy();
    }
  }

  /** Ends those that have idled for too long; to be called often. */
  sweep(): void {
    const startMs = this.#clock.monotonicMs() - this.#limits.idleMs;
    for (const [connection, { sinceMs, bytesRead }] of this.#idle) {
      if (sinceMs > startMs) return;
      if (connection.bytesRead === bytesRead) connection.destroy();
    }
  }

  #rest(connection: Connection): void {
    const { bytesRead } = connection;
    this.#idle.set(connection, { sinceMs: this.#clock.monotonicMs(), bytesRead });
  }

  #forget(connection: Connection): void {
    this.#requests.delete(connection);
    this.#idle.delete(connection);
  }

  #endOldest(): void {
    const [oldest] = this.#idle.keys();
    if (oldest === undefined) return;
    const quiet = [...this.#idle].find(([one, { bytesRead }]) => one.bytesRead === bytesRead);
    // If all of them have sent bytes, some clients may send requests that never end.
    const ended = quiet?.[0] ?? oldest;
    this.#idle.delete(ended);
    ended.destroy();
  }
}
