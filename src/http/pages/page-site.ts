/**
 * A site of built pages under one path, such as `/console/`: from a request to its answer. Pages
 * show no data, and are served without a key; what they fetch needs one.
 */

import type { IncomingHttpHeaders } from "node:http";
import Negotiator from "negotiator";
import type { HttpAnswer } from "../../api/engine.ts";
import { errorBody } from "../../api/error-answer.ts";
import { clip } from "../../base/bounded-text.ts";
import { DatabaseError } from "../../base/errors.ts";
import type { PageEncoding, PageFile, PageFiles } from "./page-files.ts";

/** Seconds for which a file is kept whose name changes with what is in it. */
const IMMUTABLE_SECONDS = 31_536_000;
/** Where the bundler puts files whose names have their hashes. */
const HASHED_FOLDER = "assets/";
const ENCODINGS: readonly PageEncoding[] = ["br", "gzip"];

/**
 * What pages may do: load their own files and speak to this server alone. Images may also be drawn
 * by the page itself; nothing is inline, nothing is evaluated, no other page may frame them.
 */
const CONTENT_POLICY = [
  "default-src 'self'",
  "img-src 'self' data: blob:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const SECURITY_HEADERS = {
  "content-security-policy": CONTENT_POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
};

/** One site. */
export interface PageSite {
  /** Such as `/console`, without a slash at its end. */
  readonly path: string;
  readonly files: PageFiles;
  /**
   * The page for all addresses that are no file, where it knows itself what they mean; absent: an
   * address without an ending is the page of that name, or the folder's `index.html`.
   */
  readonly fallback?: string;
}

/** What is asked for. */
export interface PageRequest {
  /** As sent, up to the query string; it begins with the site's path. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/** Answers a request to a site. Rejects with `unavailable` if a file is there no more. */
export async function answerPage(site: PageSite, request: PageRequest): Promise<HttpAnswer> {
  const { path, headers } = request;
  if (path === site.path) return redirect(`${site.path}/`);
  const file = findFile(site, path.slice(site.path.length + 1));
  if (file === undefined) {
    const home = `did you mean GET ${site.path}/?`;
    const answer = errorBody(404, `🤷 there is no page ${clip(path)}; ${home}`);
    return { ...answer, headers: { ...answer.headers, ...SECURITY_HEADERS } };
  }
  try {
    return fileAnswer(await site.files.read(file, acceptedEncodings(headers)), file, headers);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
    const message = "the pages were built anew since the server was started; start it again";
    throw new DatabaseError("unavailable", message, { cause });
  }
}

/** Sends a browser elsewhere. */
export function redirect(to: string): HttpAnswer {
  // Not for ever: the site may be turned off.
  const headers = {
    location: to,
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-cache",
    vary: "accept",
  };
  return { status: 302, headers, body: new TextEncoder().encode(`see ${to}\n`) };
}

/** Whether a request would rather have a page than JSON, as browsers do and programs do not. */
export function prefersPage({ accept }: IncomingHttpHeaders): boolean {
  if (accept === undefined) return false;
  const negotiator = new Negotiator({ headers: { accept } });
  return negotiator.mediaTypes(["application/json", "text/html"])[0] === "text/html";
}

/** The file that an address below the site means. */
function findFile({ files, fallback }: PageSite, address: string): string | undefined {
  let name: string;
  try {
    name = decodeURIComponent(address);
  } catch {
    return undefined;
  }
  if (name !== "" && files.has(name)) return name;
  if (name.startsWith(HASHED_FOLDER)) return undefined;
  if (fallback !== undefined) return fallback;
  const bare = name.replace(/\/$/, "");
  const pages = bare === "" ? ["index.html"] : [`${bare}.html`, `${bare}/index.html`];
  return pages.find((page) => files.has(page));
}

function fileAnswer(file: PageFile, name: string, headers: IncomingHttpHeaders): HttpAnswer {
  const { bytes, mediaType, encoding, etag } = file;
  const all = {
    ...SECURITY_HEADERS,
    "cache-control": name.startsWith(HASHED_FOLDER)
      ? `public, max-age=${IMMUTABLE_SECONDS}, immutable`
      : "no-cache",
    vary: "accept-encoding",
    etag,
  };
  if (isKnown(headers["if-none-match"], etag)) {
    return { status: 304, headers: all, body: new Uint8Array(0) };
  }
  const sent = {
    ...all,
    "content-type": mediaType,
    ...(encoding !== undefined && { "content-encoding": encoding }),
  };
  return { status: 200, headers: sent, body: bytes };
}

function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  return ifNoneMatch?.split(",").some((known) => known.trim() === etag) === true;
}

function acceptedEncodings({ "accept-encoding": accepted }: IncomingHttpHeaders): PageEncoding[] {
  const header = String(accepted ?? "");
  const negotiator = new Negotiator({ headers: { "accept-encoding": header.toLowerCase() } });
  const wanted = negotiator.encodings([...ENCODINGS, "identity"]);
  return ENCODINGS.filter((name) => wanted.includes(name));
}
