/** Answers about asynchronous operations (wire contract: `Prefer: respond-async`). */

import type { NamespaceName } from "../base/ids.ts";
import { formatDatetime } from "../model/datetime.ts";
import { answerPieces, type HttpAnswer, jsonAnswer } from "./engine.ts";
import type { OperationState } from "./operation-registry.ts";
import { WARNING_HEADER } from "./warned-answer.ts";

/** The 202 that tells a client where to poll. */
export function acceptedAnswer(namespace: NamespaceName, token: string): HttpAnswer {
  const answer = startedAnswer(token);
  const headers = {
    ...answer.headers,
    "preference-applied": "respond-async",
    location: `/v1/namespaces/${encodeURIComponent(namespace)}/operations/${token}`,
  };
  return { ...answer, headers };
}

/** The answer to a copy that was started, as the client asked for: where to poll it knows. */
export function startedAnswer(token: string): HttpAnswer {
  return jsonAnswer(202, { token });
}

/**
 * The answer to a poll. The operation's own body goes in as it is, since it may hold 64-bit
 * integers.
 */
export function operationAnswer(state: OperationState): HttpAnswer {
  const start_time = formatDatetime(BigInt(state.startedAtMs));
  if (state.kind === "running") {
    return jsonAnswer(200, { status: "running", start_time, progress: state.progress });
  }
  const finish_time = formatDatetime(BigInt(state.finishedAtMs));
  const times = `"start_time":"${start_time}","finish_time":"${finish_time}"`;
  const text = `{"status":"finished",${times},"result":${resultJson(state.answer)}}`;
  const answer = jsonAnswer(200, Buffer.from(text));
  const { [WARNING_HEADER]: warning } = state.answer.headers;
  if (warning === undefined) return answer;
  return { ...answer, headers: { ...answer.headers, [WARNING_HEADER]: warning } };
}

function resultJson(answer: HttpAnswer): string {
  const body = Buffer.concat(answerPieces(answer)).toString();
  if (answer.status === 200) return `{"success":${body}}`;
  return `{"error":{"status_code":${answer.status},"detail":${body}}}`;
}
