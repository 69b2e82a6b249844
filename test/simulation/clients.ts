/** Clients of a simulated cluster: they ask, wait as long as they can, and sometimes ask again. */

import type { Answer } from "../support/engine/engine-fixture.ts";
import { fateOf, type Operation } from "./operation.ts";
import type { SimulatedCluster, SimulatedServer } from "./simulated-cluster.ts";
import { drawOperation, repeated } from "./workload.ts";

/** How long a client waits for an answer. */
const PATIENCE_MS = 600_000;
/** How long a client that finds no server waits before it looks again. */
const NO_SERVER_MS = 500;

/** All clients, and all that they asked. */
export class Clients {
  readonly operations: Operation[] = [];
  readonly #cluster: SimulatedCluster;

  constructor(cluster: SimulatedCluster) {
    this.#cluster = cluster;
  }

  /** Number of the next request. */
  get nextNumber(): number {
    return this.operations.length + 1;
  }

  /** Resolves when all clients have done their share. */
  async run(): Promise<void> {
    const { clientCount } = this.#cluster.swarm;
    await Promise.all(Array.from({ length: clientCount }, () => this.#client()));
  }

  /** Sends a request to a server and waits for the answer, if there will be one. */
  async send(operation: Operation, { process, fixture }: SimulatedServer): Promise<void> {
    const { scheduler } = this.#cluster;
    this.operations.push(operation);
    const { number, call, name, body } = operation;
    scheduler.note(`${number} ${call} ${name} ${body ?? ""} to ${process.name}`);
    operation.server = process.name;
    operation.sentAt = scheduler.eventCount;
    operation.sentAtMs = scheduler.nowMs;
    const namespace = call === "list_namespaces" ? undefined : name;
    const answering = fixture.call(call, namespace, body);
    const gone = process.end.then(() => undefined);
    const patience = scheduler.sleep(PATIENCE_MS, "patience").then(() => undefined);
    const answer: Answer | undefined = await Promise.race([answering, gone, patience]);
    if (answer !== undefined) {
      operation.answer = answer;
      operation.answeredAt = scheduler.eventCount;
    }
    const text = answer && `${answer.status} ${JSON.stringify(withoutTimes(answer.json))}`;
    scheduler.note(`answer of ${number}: ${text}`);
  }

  async #client(): Promise<void> {
    const { scheduler, swarm } = this.#cluster;
    const { random } = scheduler;
    let again: Operation | undefined;
    for (let done = 0; done < swarm.operationsPerClient; done++) {
      await scheduler.sleep(random.next() * 2 * swarm.thinkMs, "thought");
      const server = await this.#anyServer();
      const number = this.nextNumber;
      const operation = again ? repeated(again, number) : drawOperation(random, swarm, number);
      await this.send(operation, server);
      const isOpen = fateOf(operation) === "unknown";
      again = isOpen && random.below(2) === 0 ? operation : undefined;
    }
  }

  async #anyServer(): Promise<SimulatedServer> {
    const { scheduler } = this.#cluster;
    for (;;) {
      const { servers } = this.#cluster;
      if (servers.length > 0) return servers[scheduler.random.below(servers.length)];
      await scheduler.sleep(NO_SERVER_MS, "looks for a server");
    }
  }
}

function withoutTimes(json: object | undefined): unknown {
  const { billing: _, performance: __, ...rest } = (json ?? {}) as Record<string, unknown>;
  return rest;
}
