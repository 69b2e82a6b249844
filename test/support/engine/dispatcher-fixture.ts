import type { HttpAnswer } from "../../../src/api/engine.ts";
import { namespaceName, type SegmentId, sequenceNumber } from "../../../src/base/ids.ts";
import type { NamespaceInstance, NamespaceState } from "../../../src/namespace/published-state.ts";
import type { MemtableDelta } from "../../../src/segment/memtable/memtable-delta.ts";
import { QueryAdmission } from "../../../src/threads/query/query-admission.ts";
import type { DispatchedQuery } from "../../../src/threads/query/query-call.ts";
import { QueryDeadlines } from "../../../src/threads/query/query-deadlines.ts";
import {
  type DispatcherOptions,
  QueryDispatcher,
} from "../../../src/threads/query/query-dispatcher.ts";
import { ThreadLoads } from "../../../src/threads/query/thread-loads.ts";
import type { FromQueryThread, ToQueryThread } from "../../../src/threads/thread-messages.ts";
import { ManualClock } from "../clocks/manual-clock.ts";
import { FakePort } from "./fake-port.ts";

/** The namespace of all queries. */
export const NAME = namespaceName("movies");
/** Longest time of a query. */
export const QUERY_TIMEOUT_MS = 30_000;
/** The instance of the namespace that is published first. */
export const INSTANCE = "movies/1/1" as NamespaceInstance;
/** An answer without a body. */
export const ANSWER: HttpAnswer = { status: 200, headers: {}, body: new Uint8Array(0) };

/** A state of the namespace, as the write thread publishes it. */
export function stateOf(retired = false, instance = INSTANCE): NamespaceState {
  return { instance, retired, sequence: sequenceNumber(1) } as NamespaceState;
}

/** A delta of segments in memory that are new. */
export function added(...ids: string[]): MemtableDelta {
  const at = { kind: "memory" as const, place: { arena: 0, offset: 64, bytes: 10 } };
  return {
    full: false,
    added: ids.map((id) => ({ id: id as SegmentId, at, documentCount: 4 })),
    deleted: [],
    dropped: [],
  };
}

/** A query with a body of two bytes. */
export function query(name = NAME): DispatchedQuery {
  const body = Uint8Array.of(1, 2);
  return { operation: "query", namespace: name, parameters: {}, isStrict: false, body };
}

/** A dispatcher with a published namespace, and the ports of its threads. */
export function dispatcherOf(
  threadCount: number,
  verify?: DispatcherOptions["verify"],
  own?: DispatcherOptions["own"],
) {
  const clock = new ManualClock();
  const threads = Array.from(
    { length: threadCount },
    () => new FakePort<ToQueryThread, FromQueryThread>(),
  );
  const released: [NamespaceInstance, number][] = [];
  const logs: string[] = [];
  const loads = ThreadLoads.of(threadCount);
  const dispatcher = new QueryDispatcher({
    clock,
    log: (_level, message) => logs.push(message),
    deadlines: new QueryDeadlines(clock, QUERY_TIMEOUT_MS),
    admission: new QueryAdmission(clock),
    threads,
    loads,
    own,
    release: (instance, version) => released.push([instance, version]),
    ...(verify && { verify }),
  });
  dispatcher.publish(NAME, [{ version: 1, change: added("a") }], stateOf());
  return { clock, threads, loads, released, dispatcher, logs };
}
