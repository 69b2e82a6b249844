/** Answers about the server itself: `/`, health, metrics and the reference. */

import type { IncomingHttpHeaders } from "node:http";
import { type Engine, type EngineMetric, type HttpAnswer, jsonAnswer } from "../api/engine.ts";
import { errorBody } from "../api/error-answer.ts";
import type { HttpMetrics } from "./observability/http-metrics.ts";
import { OpenapiAnswer } from "./openapi-answer.ts";
import { type PageSite, prefersPage, redirect } from "./pages/page-site.ts";
import type { ServiceRoute } from "./routes/routes.ts";

/** The services that responses come from; see `HttpOptions`. */
export interface ServiceSources {
  readonly engine: Pick<Engine, "status" | "metrics">;
  readonly version: string;
  readonly sites: readonly PageSite[];
  readonly openapi: () => Promise<object>;
  readonly metrics: HttpMetrics;
  /** Metrics of other parts of the server. */
  readonly otherMetrics: () => readonly EngineMetric[];
  /** The server is shutting down. */
  readonly isClosing: () => boolean;
}

const encoder = new TextEncoder();

/** See the file's head. */
export class ServiceAnswers {
  readonly #sources: ServiceSources;
  readonly #openapi: OpenapiAnswer;

  constructor(sources: ServiceSources) {
    this.#sources = sources;
    this.#openapi = new OpenapiAnswer(sources.openapi);
  }

  async answer(name: ServiceRoute["name"], headers: IncomingHttpHeaders): Promise<HttpAnswer> {
    const { engine, metrics, sites, version } = this.#sources;
    switch (name) {
      case "root":
        if (sites[0] !== undefined && prefersPage(headers)) return redirect(`${sites[0].path}/`);
        return ok({ service: "trawl", version });
      case "health":
        return ok();
      case "readiness": {
        if (this.#sources.isClosing()) return errorBody(503, "the server is shutting down");
        const { ready, reason } = engine.status();
        return ready ? ok() : errorBody(503, reason ?? "not ready yet");
      }
      case "metrics": {
        const others = [...engine.metrics(), ...this.#sources.otherMetrics()];
        const body = encoder.encode(await metrics.render(others));
        return { status: 200, headers: { "content-type": metrics.contentType }, body };
      }
      case "openapi":
        return this.#openapi.answer(headers);
    }
  }
}

function ok(facts: object = {}): HttpAnswer {
  return jsonAnswer(200, encoder.encode(JSON.stringify({ status: "OK", ...facts })));
}
