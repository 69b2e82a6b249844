/** Answers about asynchronous operations (wire contract: `Prefer: respond-async`). */

import type { NamespaceName } from "../base/ids.ts";
import type { EngineAnswer } from "./engine.ts";
import type { OperationState } from "./operation-registry.ts";

const JSON_HEADERS = { "content-type": "application/json" };
const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** The 202 that tells a client where to poll. */
export function acceptedAnswer(namespace: NamespaceName, token: string): EngineAnswer {
  return {
    status: 202,
    headers: {
      ...JSON_HEADERS,
      "preference-applied": "respond-async",
      location: `/v1/namespaces/${encodeURIComponent(namespace)}/operations/${token}`,
    },
    body: encoder.encode(JSON.stringify({ token })),
  };
}

/**
 * The answer to a poll. The operation's own body goes in as it is, since it may hold 64-bit
 * integers.
 */
export function operationAnswer(state: OperationState): EngineAnswer {
  const text =
    state.kind === "running"
      ? JSON.stringify({ status: "running", progress: state.progress })
      : `{"status":"finished","result":${resultJson(state.answer)}}`;
  return { status: 200, headers: JSON_HEADERS, body: encoder.encode(text) };
}

function resultJson(answer: EngineAnswer): string {
  const body = decoder.decode(answer.body);
  if (answer.status === 200) return `{"success":${body}}`;
  return `{"error":{"status_code":${answer.status},"detail":${body}}}`;
}
