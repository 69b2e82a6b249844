/** Answers about asynchronous operations (wire contract: `Prefer: respond-async`). */

import type { NamespaceName } from "../base/ids.ts";
import { answerPieces, type HttpAnswer, jsonAnswer } from "./engine.ts";
import type { OperationState } from "./operation-registry.ts";

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** The 202 that tells a client where to poll. */
export function acceptedAnswer(namespace: NamespaceName, token: string): HttpAnswer {
  const answer = jsonAnswer(202, encoder.encode(JSON.stringify({ token })));
  const headers = {
    ...answer.headers,
    "preference-applied": "respond-async",
    location: `/v1/namespaces/${encodeURIComponent(namespace)}/operations/${token}`,
  };
  return { ...answer, headers };
}

/**
 * The answer to a poll. The operation's own body goes in as it is, since it may hold 64-bit
 * integers.
 */
export function operationAnswer(state: OperationState): HttpAnswer {
  const text =
    state.kind === "running"
      ? JSON.stringify({ status: "running", progress: state.progress })
      : `{"status":"finished","result":${resultJson(state.answer)}}`;
  return jsonAnswer(200, encoder.encode(text));
}

function resultJson(answer: HttpAnswer): string {
  const body = decoder.decode(Buffer.concat(answerPieces(answer)));
  if (answer.status === 200) return `{"success":${body}}`;
  return `{"error":{"status_code":${answer.status},"detail":${body}}}`;
}
