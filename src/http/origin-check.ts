/**
 * What web pages may do. A browser sends any page's requests to any address that it can reach, a
 * server on the user's own machine too, and a page can have its own name point there (DNS
 * rebinding). So without a key only those are answered that ask for a loopback name or an allowed
 * one, and no page of another origin that is not allowed. With a key pages are no danger: they do
 * not know it. The answers of both let the pages of allowed origins read them (CORS).
 */

import type { IncomingHttpHeaders } from "node:http";
import type { HttpAnswer } from "../api/engine.ts";
import { clipName } from "../base/bounded-text.ts";
import { DatabaseError } from "../base/errors.ts";

/** Seconds for which a browser need not ask again. */
const PREFLIGHT_SECONDS = 600;
const METHODS = "GET, HEAD, POST, PATCH, DELETE";
/** What pages may read of an answer beside its body. */
const EXPOSED =
  "x-request-id, retry-after, retry-after-ms, preference-applied, location, trawl-warning";
/** Header names that a page may ask for, in characters together; no client sends half as much. */
const ASKED_HEADERS_CHARS_MAX = 1024;

/**
 * Values of `Sec-Fetch-Site` for the server's own pages and for pages that a user opens directly.
 */
const OWN_SITES: ReadonlySet<string> = new Set(["same-origin", "none"]);

/** Who may reach a server. */
export interface OriginRules {
  /** Tells whether clients show a key. */
  readonly hasKey: () => boolean;
  /** The address that the server listens on. */
  readonly host: string;
  /** Names in `Host` beside loopback ones, in lower case; `*` for all. */
  readonly allowedHosts: readonly string[];
  /** Such as `https://app.example`, in lower case; `*` for all. */
  readonly allowedOrigins: readonly string[];
}

/** See the file's head. */
export class OriginCheck {
  readonly #rules: OriginRules;
  /** The last one that was known: most requests of a server ask for the same. */
  #knownHost: string | undefined;

  constructor(rules: OriginRules) {
    this.#rules = rules;
  }

  /** Throws `forbidden` if a request may come of a page that is not allowed. */
  check({ host, origin, "sec-fetch-site": site }: IncomingHttpHeaders): void {
    const { hasKey } = this.#rules;
    if (hasKey() || (origin !== undefined && this.#allows(origin))) return;
    // Browsers send a host always; what does not is none.
    if (host !== undefined && !this.#isKnownHost(host)) {
      const name = clipName(hostName(host));
      throw new DatabaseError(
        "forbidden",
        `the server does not answer to the host name '${name}', since web pages could reach it ` +
          `by one; add it to --allowed-hosts, or set an API key`,
      );
    }
    if (origin !== undefined && !isSameOrigin(origin, host)) {
      throw foreignPage(clipName(origin));
    }
    // `same-site` is another port of this machine, whose pages reach GETs that change something.
    // Clients that are no browsers, as the SDKs, do not send the header.
    if (origin === undefined && site !== undefined && !OWN_SITES.has(String(site))) {
      throw foreignPage("other origins");
    }
  }

  /** The answer to a browser that asks what a page may send; undefined if it does not. */
  preflight(method: string, headers: IncomingHttpHeaders): HttpAnswer | undefined {
    const { origin } = headers;
    const asked = headers["access-control-request-method"];
    if (method !== "OPTIONS" || origin === undefined || asked === undefined) return undefined;
    if (!this.#allows(origin)) throw foreignPage(clipName(origin));
    const names = String(headers["access-control-request-headers"] ?? "");
    return {
      status: 204,
      headers: {
        "access-control-allow-methods": METHODS,
        "access-control-max-age": String(PREFLIGHT_SECONDS),
        ...(names !== "" &&
          names.length <= ASKED_HEADERS_CHARS_MAX && { "access-control-allow-headers": names }),
        ...(headers["access-control-request-private-network"] === "true" && {
          "access-control-allow-private-network": "true",
        }),
      },
      body: new Uint8Array(0),
    };
  }

  /** Headers that let the page of an allowed origin read an answer; undefined where none is. */
  answerHeaders(origin: string | undefined): Readonly<Record<string, string>> | undefined {
    if (this.#rules.allowedOrigins.length === 0) return undefined;
    const vary = { vary: "Origin" };
    if (origin === undefined || !this.#allows(origin)) return vary;
    return {
      ...vary,
      "access-control-allow-origin": origin,
      "access-control-expose-headers": EXPOSED,
    };
  }

  #allows(origin: string): boolean {
    const { allowedOrigins } = this.#rules;
    return allowedOrigins.includes("*") || allowedOrigins.includes(origin.toLowerCase());
  }

  #isKnownHost(host: string): boolean {
    if (host === this.#knownHost) return true;
    const { allowedHosts, host: address } = this.#rules;
    const name = hostName(host);
    const isKnown =
      isLoopbackName(name) ||
      allowedHosts.includes("*") ||
      allowedHosts.includes(name) ||
      // No page can have an address for its name: whoever listens on others is asked for by them.
      (!isLoopbackName(hostName(address)) && isAddress(name));
    if (isKnown) this.#knownHost = host;
    return isKnown;
  }
}

/** Tells whether only this machine can have the name or address; IPv6 without brackets. */
export function isLoopbackName(name: string): boolean {
  return (
    name === "localhost" ||
    name.endsWith(".localhost") ||
    name === "::1" ||
    /^127(\.\d{1,3}){3}$/.test(name)
  );
}

/** The name of a `Host` header in lower case, without port and brackets. */
function hostName(host: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d*)?$/.exec(host);
  const name = bracketed === null ? host.replace(/^([^:]*):\d*$/, "$1") : bracketed[1];
  return name.toLowerCase().replace(/\.$/, "");
}

function isAddress(name: string): boolean {
  return name.includes(":") || /^\d{1,3}(\.\d{1,3}){3}$/.test(name);
}

function isSameOrigin(origin: string, host: string | undefined): boolean {
  if (host === undefined || !URL.canParse(origin)) return false;
  return new URL(origin).host === host.toLowerCase();
}

function foreignPage(from: string): DatabaseError {
  return new DatabaseError(
    "forbidden",
    `web pages of ${from} may not use this server; add their origin to --allowed-origins`,
  );
}
