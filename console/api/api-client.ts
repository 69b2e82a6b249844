/** Requests of the console to its own server, through the public API and nothing else. */

import { ApiFault, faultKind } from "./api-fault.ts";
import { parseExact, stringifyExact } from "./exact-json.ts";
import { isFolded } from "./reachable-name.ts";

/** How a client reaches its server. */
export interface ApiClientOptions {
  /** Before all paths; empty for the server that the page is of. */
  readonly baseUrl: string;
  /** Undefined: requests have none. */
  readonly key: string | undefined;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Told after each request whether the server answered. */
  readonly onReach?: (isReached: boolean) => void;
}

/** One request. */
export interface ApiRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Made by `apiPath`. */
  readonly path: string;
  /** Query parameters; undefined ones are left out. */
  readonly parameters?: Readonly<Record<string, string | number | undefined>>;
  /** Sent as JSON, whole numbers exact. */
  readonly json?: unknown;
  /** Sent as it is, instead of `json`. */
  readonly body?: string | Blob;
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends the request; it then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** An answer that is a success. */
export interface ApiAnswer<T> {
  readonly status: number;
  readonly headers: Headers;
  /** As it was sent. */
  readonly text: string;
  /** The text parsed, ids beyond 2^53 as `bigint`; undefined if it is no JSON by its type. */
  readonly value: T;
}

/** A path of segments, each escaped: `apiPath("v2", "namespaces", name)`. */
export function apiPath(...segments: readonly string[]): string {
  return segments.map((segment) => `/${encodeURIComponent(segment)}`).join("");
}

/** See the file's head. */
export class ApiClient {
  readonly #options: ApiClientOptions;

  constructor(options: ApiClientOptions) {
    this.#options = options;
  }

  /** Sends a request and reads its answer. Throws `ApiFault` for all that is no success. */
  async send<T>(request: ApiRequest): Promise<ApiAnswer<T>> {
    const response = await this.#fetch(request);
    const { status, headers } = response;
    const text = await response.text().catch((error: unknown) => {
      request.signal?.throwIfAborted();
      throw new ApiFault("gone", `the answer broke off: ${(error as Error).message}`);
    });
    const requestId = headers.get("x-request-id") ?? undefined;
    if (!response.ok) {
      const retryAfter = Number(headers.get("retry-after-ms"));
      const retryAfterMs = retryAfter > 0 ? retryAfter : undefined;
      throw new ApiFault(faultKind(status), messageOf(text, response), {
        status,
        requestId,
        retryAfterMs,
      });
    }
    const isJson = headers.get("content-type")?.includes("json") === true;
    try {
      return { status, headers, text, value: (isJson ? parseExact(text) : undefined) as T };
    } catch (error) {
      const message = `the server's answer cannot be read: ${(error as Error).message}`;
      throw new ApiFault("unreadable", message, { status, requestId });
    }
  }

  /** The parsed answer to a request; see `send`. */
  async json<T>(request: ApiRequest): Promise<T> {
    return (await this.send<T>(request)).value;
  }

  async #fetch(request: ApiRequest): Promise<Response> {
    const { baseUrl, key, onReach } = this.#options;
    const { method, path, parameters, json, signal } = request;
    if (isFolded(path)) {
      const message = `browsers send ${path} as another path, so it was not sent`;
      throw new ApiFault("refused", message);
    }
    const body = json === undefined ? request.body : stringifyExact(json);
    const init: RequestInit = {
      method,
      headers: {
        accept: "application/json",
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...request.headers,
      },
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
      cache: "no-store",
      credentials: "omit",
    };
    try {
      const response = await this.#options.fetch(baseUrl + path + queryText(parameters), init);
      onReach?.(true);
      return response;
    } catch (error) {
      signal?.throwIfAborted();
      onReach?.(false);
      throw new ApiFault("gone", `the server cannot be reached: ${(error as Error).message}`);
    }
  }
}

function queryText(parameters: ApiRequest["parameters"] = {}): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) given.append(name, String(value));
  }
  return given.size === 0 ? "" : `?${given}`;
}

/** The words of an error's answer: of its JSON if it has the documented shape. */
function messageOf(text: string, { status, statusText }: Response): string {
  try {
    const { error } = JSON.parse(text) as { readonly error?: unknown };
    if (typeof error === "string") return error;
  } catch {
    // Not all that stands between here and the server answers in JSON.
  }
  const shown = text.trim().slice(0, 500);
  return shown === "" ? `the server answered with ${status} ${statusText}`.trim() : shown;
}
