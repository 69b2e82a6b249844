import type { ClusterNode } from "../servers/bucket-cluster.ts";
import type { DocumentsInput, DocumentsOutput, DocumentsState } from "./document-model.ts";
import { outputOf, requestOf } from "./document-requests.ts";
import type { History, Outcome } from "./history.ts";

/** Time limit of a call. Pauses of a server are shorter. */
const CALL_MS_MAX = 20_000;

/** The history of one namespace's documents. */
export type DocumentsHistory = History<DocumentsInput, DocumentsOutput>;

/** A client of one namespace, whose calls are recorded. */
export class DocumentsClient {
  readonly #name: string;
  readonly #namespace: string;
  readonly #history: DocumentsHistory;

  constructor(name: string, namespace: string, history: DocumentsHistory) {
    this.#name = name;
    this.#namespace = namespace;
    this.#history = history;
  }

  /** Sends a call to a server and records it; returns what it found, if anything. */
  async call(node: ClusterNode, input: DocumentsInput): Promise<DocumentsState | undefined> {
    const caller = `${this.#name} at ${node.name}`;
    const staleMs = input.kind === "read" ? 1_000 * (input.staleSeconds ?? 0) : 0;
    const call = { caller, input, staleMs };
    const outcome = await this.#history.record(call, () => this.#send(node, input));
    if (outcome.kind !== "returned" || !("documents" in outcome.output)) return undefined;
    return outcome.output.documents;
  }

  async #send(node: ClusterNode, input: DocumentsInput): Promise<Outcome<DocumentsOutput>> {
    if (node.server === undefined) return { kind: "none" };
    const { method, path, body } = requestOf(this.#namespace, input);
    // Reads have no effect, so the outcome of a read without an answer is "none".
    const unanswered = { kind: input.kind === "read" ? "none" : "unknown" } as const;
    const sent = {
      method,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      }),
      signal: AbortSignal.timeout(CALL_MS_MAX),
    };
    const answer = await fetch(node.server.url + path, sent)
      .then(async (response) => ({ status: response.status, text: await response.text() }))
      .catch((error: Error) => error);
    if (answer instanceof Error) {
      const { code } = (answer.cause ?? {}) as { code?: unknown };
      return code === "ECONNREFUSED" ? { kind: "none" } : unanswered;
    }
    switch (answer.status) {
      case 200:
        return { kind: "returned", output: outputOf(input, JSON.parse(answer.text)) };
      case 404:
        return { kind: "returned", output: { namespace: "missing" } };
      case 429:
        return { kind: "none" };
      case 503:
        return unanswered;
      default:
        throw new Error(`${node.name} answers ${answer.status} ${answer.text}`);
    }
  }
}
