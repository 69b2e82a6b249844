/** Answers and broken connections as errors that a user can act on. */

import { MIB } from "../base/byte-sizes.ts";
import { durationText } from "../base/duration.ts";
import type { ApiAnswer } from "./api-answer.ts";
import { ClientError } from "./client-error.ts";

/** Of an error's answer; our choice, above every message of the server. */
const ERROR_BYTES_MAX = MIB;
/** Of an answer that is not in the API's words, what is quoted. */
const QUOTED_CHARS_MAX = 200;

/** Which request was answered, for messages. */
export interface AnsweredRequest {
  readonly method: string;
  readonly url: string;
  readonly baseUrl: string;
  /** Undefined for a server of Trawl. */
  readonly serverName: string | undefined;
}

/**
 * The error that an answer is; undefined for one of success, whose body is then unread. A 202 with
 * a time to try again is an error, too: an index that the query needs is being built.
 */
export async function refusalOf(
  answer: ApiAnswer,
  request: AnsweredRequest,
): Promise<ClientError | undefined> {
  const { status, headers } = answer;
  const retryAfterMs = retryAfterOf(headers);
  const isRefused = status === 202 && retryAfterMs !== undefined;
  if (status >= 200 && status < 300 && !isRefused) return undefined;
  const text = (await answer.bytes(ERROR_BYTES_MAX)).toString("utf8");
  const detail = { status, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  const said = messageOf(text) ?? urlFaultOf(text, status);
  if (said === undefined) return foreignAnswer(text, request, detail);
  return new ClientError("refused", `${said}${adviceOn(status, retryAfterMs)}`, detail);
}

/** Describes an error that occurred before an answer came, with what to do. */
export function transportFault(
  error: Error,
  baseUrl: string,
  serverName: string | undefined,
): ClientError {
  const { code = "" } = error as NodeJS.ErrnoException;
  const [reason, tlsCure] = tlsFault(error, code) ?? [REASONS[code] ?? plainReason(error, code)];
  const cure = tlsCure ?? cureOf(code, baseUrl, serverName);
  const why = `cannot reach ${baseUrl}: ${reason}; ${cure}`;
  return new ClientError("unreachable", why, { cause: error });
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "its host name is unknown",
  EAI_AGAIN: "its host name cannot be looked up now",
  ECONNRESET: "the connection was closed",
  EPIPE: "the connection was closed",
  ETIMEDOUT: "the host does not answer",
  EHOSTUNREACH: "there is no way to the host",
};

/** Errors of libraries may have lines of their own. */
function plainReason({ message }: Error, code: string): string {
  return message.split("\n")[0].slice(0, QUOTED_CHARS_MAX) || code || "the connection failed";
}

function cureOf(code: string, baseUrl: string, serverName: string | undefined): string {
  const isClosed = code === "ECONNRESET" || code === "EPIPE";
  if (!isClosed && serverName === undefined) {
    const other = "name another one with --url or TURBOPUFFER_BASE_URL";
    return `start a server with \`npm start\`, or ${other}`;
  }
  const log = `look into the log of ${serverName ?? "the server"}`;
  if (!isClosed) return `${log}, and at the URL`;
  // A server that speaks TLS closes the connections of clients that do not.
  return baseUrl.startsWith("http:") ? `${log}, or use https:// if it speaks TLS` : log;
}

/** Describes an error of a server's TLS, with the fix; undefined for other errors. */
function tlsFault(error: Error, code: string): readonly [reason: string, cure: string] | undefined {
  if (UNTRUSTED.has(code)) {
    return [
      "this machine does not trust its certificate",
      "set NODE_EXTRA_CA_CERTS to a file with that certificate or its issuer's",
    ];
  }
  if (code === "CERT_HAS_EXPIRED") {
    return ["its certificate has expired", "renew it on the server, or set this machine's clock"];
  }
  if (code === "CERT_NOT_YET_VALID") {
    return ["its certificate is not valid yet", "set the clock of this machine, or of the server"];
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    const { cert } = error as { readonly cert?: { readonly subjectaltname?: string } };
    const names = cert?.subjectaltname ?? "none";
    return [
      `its certificate is for other names (${names.slice(0, QUOTED_CHARS_MAX)})`,
      "use a URL with one of these, or give the server a certificate for this one",
    ];
  }
  if (NOT_TLS.has(code)) {
    const reason = "what listens there does not speak TLS, or another version of it";
    return [reason, "use a URL that begins with http:// if it speaks HTTP"];
  }
  return undefined;
}

/** Codes of answers that break the protocol of TLS. */
const NOT_TLS: ReadonlySet<string> = new Set([
  "EPROTO",
  "ERR_SSL_WRONG_VERSION_NUMBER",
  "ERR_SSL_PACKET_LENGTH_TOO_LONG",
]);

/** Codes of certificates that sign themselves, or whose authority is unknown. */
const UNTRUSTED: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
]);

/** The error's text in the API's shape; undefined if the answer has another one. */
function messageOf(text: string): string | undefined {
  try {
    const body = JSON.parse(text) as { error?: unknown } | null;
    return typeof body?.error === "string" ? body.error : undefined;
  } catch {
    return undefined;
  }
}

/** What the API says of a URL, as of a bad name in it: the one error that is plain text. */
function urlFaultOf(text: string, status: number): string | undefined {
  return status === 400 && text.startsWith("Invalid URL: ") ? text.trim() : undefined;
}

function foreignAnswer(
  text: string,
  { method, url, baseUrl, serverName = "a Trawl server" }: AnsweredRequest,
  detail: { readonly status: number },
): ClientError {
  const quoted = text.trim().slice(0, QUOTED_CHARS_MAX);
  const said = quoted === "" ? "" : ` (${quoted})`;
  const why =
    serverName === "a Trawl server"
      ? `${method} ${url} answers ${detail.status} without the API's words${said}; ` +
        `is ${serverName} at ${baseUrl}?`
      : `${method} ${url} answers ${detail.status}${said}; that is what ${serverName} says`;
  return new ClientError("misunderstood", why, detail);
}

function adviceOn(status: number, retryAfterMs: number | undefined): string {
  switch (status) {
    case 401:
      return "; give the server's key with --api-key or TURBOPUFFER_API_KEY";
    case 202:
    case 429:
    case 503:
      return retryAfterMs === undefined
        ? ""
        : `; the server says to try again in ${durationText(retryAfterMs)}`;
    default:
      return "";
  }
}

/** `retry-after-ms`, or `retry-after` in seconds. */
function retryAfterOf(headers: ApiAnswer["headers"]): number | undefined {
  const ms = Number(headers["retry-after-ms"] ?? Number.NaN);
  if (ms >= 0) return Math.ceil(ms);
  const seconds = Number(headers["retry-after"] ?? Number.NaN);
  return seconds >= 0 ? Math.ceil(seconds * 1000) : undefined;
}
