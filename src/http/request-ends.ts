/** What a request that is over leaves: in metrics, the audit, the log, and the list of slow ones. */

import { answerBytes, type HttpAnswer } from "../api/engine.ts";
import { WARNING_HEADER } from "../api/warned-answer.ts";
import type { ApiRequest } from "./api-handler.ts";
import type { ApiOutcome } from "./observability/api-outcome.ts";
import { auditEvents } from "./observability/audit-events.ts";
import type { AuditLog } from "./observability/audit-log.ts";
import type { HttpMetrics } from "./observability/http-metrics.ts";
import type { NamespaceTraffic } from "./observability/namespace-traffic.ts";
import type { RecentSlowRequests } from "./observability/recent-slow-requests.ts";
import { type HttpLog, logOutcome } from "./observability/request-log.ts";
import type { RequestTracing } from "./observability/request-tracing.ts";
import type { SlowRequests } from "./observability/slow-requests.ts";
import type { WarningLog } from "./observability/warning-log.ts";

/** Statuses of requests that may not be made. */
export const REFUSED: ReadonlySet<number> = new Set([401, 403]);

/** Where it is left. */
export interface RequestEndOptions {
  readonly metrics: HttpMetrics;
  readonly traffic: NamespaceTraffic;
  readonly slow: SlowRequests;
  readonly recentSlow: RecentSlowRequests;
  readonly warnings: WarningLog;
  /** Absent: there is none. */
  readonly audit: AuditLog | undefined;
  readonly log: HttpLog;
  /** Hears the bytes of body and response of each request. */
  readonly noteBytes: (bytes: number) => void;
  /** Absent: no request is traced. */
  readonly tracing: RequestTracing | undefined;
}

/** See the file's head. */
export class RequestEnds {
  readonly #options: RequestEndOptions;

  constructor(options: RequestEndOptions) {
    this.#options = options;
  }

  /** Notes a request that took `ms` milliseconds. */
  note(asked: ApiRequest, outcome: ApiOutcome, ms: number): void {
    const { log, metrics, recentSlow, slow: slowRequests, tracing, warnings } = this.#options;
    const { operation, answer } = outcome;
    metrics.observe(operation, answer.status, ms / 1000);
    if (answer.times?.kind !== undefined) metrics.observeQuery(answer.times.kind, ms / 1000);
    this.#options.noteBytes(outcome.bytesReceived + answerBytes(answer));
    this.#noteTraffic(outcome, ms / 1000);
    const slow = isOpenToAll(asked, answer) ? undefined : slowRequests.note(ms);
    if (slow !== undefined) metrics.countSlow(operation, slow.kind);
    this.#noteAudit(asked, outcome);
    const warning = answer.headers[WARNING_HEADER];
    if (warning !== undefined) {
      metrics.countUnknownFields(operation);
      warnings.note(operation, outcome.namespace, warning);
    }
    const isLogged = slow?.kind === "logged";
    const { id, path, message, trace } = asked;
    const request = { id, path, method: message.method ?? "GET" };
    if (trace !== undefined) {
      tracing?.end({ trace, requestId: id, method: request.method, path, outcome, ms });
    }
    const end = { request, outcome, ms, slow: isLogged ? slow : undefined };
    if (isLogged) recentSlow.add(end);
    logOutcome(log, end);
  }

  #noteTraffic({ operation, namespace, answer, bytesReceived }: ApiOutcome, seconds: number): void {
    const { status } = answer;
    if (namespace === undefined || REFUSED.has(status)) return;
    const bytes = { bytesIn: bytesReceived, bytesOut: answerBytes(answer) };
    this.#options.traffic.note(namespace, { operation, status, seconds, ...bytes });
  }

  #noteAudit({ id, message }: ApiRequest, outcome: ApiOutcome): void {
    const { audit } = this.#options;
    if (audit === undefined) return;
    const origin = message.socket.remoteAddress;
    for (const event of auditEvents(outcome, audit.hasWrites)) audit.note(event, { id, origin });
  }
}

/**
 * Whether anybody may have made a request: those who have no key could read answers slowly until
 * no line, and no place in the list, is left for what is slow in truth.
 */
function isOpenToAll({ match }: ApiRequest, { status }: HttpAnswer): boolean {
  const isUnguarded = match.kind === "service" && !match.route.guarded;
  return isUnguarded || match.kind === "page" || REFUSED.has(status);
}
