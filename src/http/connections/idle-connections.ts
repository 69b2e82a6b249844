/**
 * Which connections wait for their next request: when there are too many, those that have waited
 * longest make room, so that idle clients do not keep new ones out. A server that stops ends those
 * that were never used itself, since Node takes them for requests that are about to begin.
 */

import type { Socket } from "node:net";

/** What is needed of a connection. */
type Connection = Pick<Socket, "once" | "destroy" | "bytesRead">;

/** The connections of one server. */
export class IdleConnections {
  readonly #countMax: number;
  /** Requests under way by connection, of all open ones. */
  readonly #requests = new Map<Connection, number>();
  /** Those without any, the longest idle first. */
  readonly #idle = new Set<Connection>();

  /** From `countMax` open connections on, each new one ends an idle one. */
  constructor(countMax: number) {
    this.#countMax = countMax;
  }

  /** A client has connected. */
  add(connection: Connection): void {
    if (this.#requests.size >= this.#countMax) this.#endOldest();
    this.#requests.set(connection, 0);
    this.#idle.add(connection);
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

  /** A request has been answered, or will never be. */
  end(connection: Connection): void {
    const count = this.#requests.get(connection);
    if (count === undefined) return;
    this.#requests.set(connection, count - 1);
    if (count === 1) this.#idle.add(connection);
  }

  /** Ends those on which no byte has come since they were opened. */
  endUnused(): void {
    for (const connection of this.#idle) if (connection.bytesRead === 0) connection.destroy();
  }

  #forget(connection: Connection): void {
    this.#requests.delete(connection);
    this.#idle.delete(connection);
  }

  #endOldest(): void {
    const [oldest] = this.#idle;
    if (oldest === undefined) return;
    this.#idle.delete(oldest);
    oldest.destroy();
  }
}
