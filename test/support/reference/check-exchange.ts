/** Compares requests, and the answers that they got, with the reference. */

import { routedUrl } from "../../../src/http/routes/routes.ts";
import { DOCUMENT, type OperationObject, schemaFault } from "./document-schemas.ts";

/** A request and its answer. */
export interface Exchange {
  readonly method: string;
  /** Path and query string. */
  readonly url: string;
  /** JSON; undefined for none, or what is no JSON. */
  readonly sent: unknown;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const PATHS = Object.entries(DOCUMENT.paths).map(([path, operations]) => ({
  pattern: new RegExp(`^${path.replace(/[.]/g, "\\.").replace(/\{\w+\}/g, "[^/]+")}$`),
  operations,
}));
/** Of requests that no operation answers: no route, no method, headers that cannot be met. */
const UNROUTED = new Set([404, 405, 417, 431]);

/** What is not as the reference says; undefined if all is. */
export function exchangeFault(exchange: Exchange): string | undefined {
  const operation = operationOf(exchange);
  if (operation === undefined) return undefined;
  const fault = answerFault(operation, exchange) ?? requestFault(operation, exchange);
  if (fault === undefined) return undefined;
  const { method, url, status } = exchange;
  return `${method} ${url} → ${status} is not as ${operation.operationId} is described: ${fault}`;
}

function operationOf({ method, url }: Exchange): OperationObject | undefined {
  const [path] = routedUrl(url).split("?");
  const found = PATHS.find(({ pattern }) => pattern.test(path))?.operations;
  return found?.[method.toLowerCase()];
}

function answerFault(operation: OperationObject, exchange: Exchange): string | undefined {
  const { status, headers, text } = exchange;
  const response = operation.responses[status];
  if (response === undefined) {
    return UNROUTED.has(status) ? undefined : `the status is not described: ${text.slice(0, 500)}`;
  }
  if (response.content === undefined) return text === "" ? undefined : "there is a body";
  const [type] = (headers.get("content-type") ?? "").split(";");
  const content = response.content[type];
  if (content === undefined) return `the content type ${type} is not described`;
  if (type !== "application/json") return undefined;
  const fault = schemaFault(content.schema, JSON.parse(text));
  return fault && `${fault} in ${text.slice(0, 2000)}`;
}

/** What was done is described; fields that were passed over were warned of. */
function requestFault(operation: OperationObject, exchange: Exchange): string | undefined {
  const { sent, status, headers, url } = exchange;
  if (status !== 200 || headers.has("trawl-warning")) return undefined;
  const query = new URLSearchParams(url.split("?")[1] ?? "");
  const known = operation.parameters.filter((parameter) => parameter.in === "query");
  for (const name of query.keys()) {
    if (name.startsWith("stainless_") || known.some((parameter) => parameter.name === name))
      continue;
    return `the query parameter ${name} is not described`;
  }
  const content = operation.requestBody?.content["application/json"];
  if (sent === undefined || content === undefined) return undefined;
  const fault = schemaFault(content.schema, sent);
  return fault && `${fault} in ${JSON.stringify(sent).slice(0, 2000)}`;
}
