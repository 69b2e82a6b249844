/**
 * An S3 service in this process, over a `MemoryObjectStore`: for servers in processes of their own
 * that share a bucket. It has what Trawl asks of a service except uploads in parts, so objects have
 * at most 16 MiB. It checks no signatures, and every bucket name is the same bucket.
 */

import type { ServerResponse } from "node:http";
import {
  ALWAYS,
  endOf,
  IF_ABSENT,
  isObjectKey,
  type ObjectKey,
} from "../../../src/storage/object-store.ts";
import { MemoryObjectStore } from "./memory-object-store.ts";
import { answerError, type ReceivedRequest, startScriptedS3 } from "./scripted-s3.ts";

/** Entries of a page of a listing (S3's own limit). */
const PAGE_ENTRIES_MAX = 1_000;

/** A running service. */
export interface MemoryS3 {
  readonly url: string;
  /** Environment of programs that use it. */
  readonly credentials: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Starts an empty service on a free port. */
export async function startMemoryS3(): Promise<MemoryS3> {
  const store = new MemoryObjectStore();
  const { url, close } = await startScriptedS3((request, response) => {
    answer(store, request, response).catch((error: Error) => {
      answerError(response, 500, error.message);
    });
  });
  const credentials = {
    AWS_ACCESS_KEY_ID: "key",
    AWS_SECRET_ACCESS_KEY: "secret",
    AWS_EC2_METADATA_DISABLED: "true",
  };
  return { url, credentials, close };
}

async function answer(
  store: MemoryObjectStore,
  { method, url, headers, body }: ReceivedRequest,
  response: ServerResponse,
): Promise<void> {
  const { pathname, searchParams } = new URL(url, "http://localhost");
  const [key = ""] = /(?<=^\/[^/]+\/).+/.exec(pathname) ?? [];
  if (searchParams.get("list-type") === "2") return answerList(store, searchParams, response);
  const isWhole = !searchParams.has("uploads") && !searchParams.has("uploadId");
  if (!isWhole || !isObjectKey(key)) return answerError(response, 501, "NotImplemented");
  switch (method) {
    case "GET":
      return answerGet(response, await store.get(key), headers.range);
    case "PUT": {
      const condition = headers["if-none-match"] === "*" ? IF_ABSENT : ALWAYS;
      const { kind } = await store.put(key, body, condition);
      if (kind === "conflict") return answerError(response, 412, "PreconditionFailed");
      return void response.end();
    }
    case "DELETE":
      await store.delete(key as ObjectKey);
      return void response.writeHead(204).end();
    default:
      return answerError(response, 501, "NotImplemented");
  }
}

function answerGet(
  response: ServerResponse,
  bytes: Uint8Array | undefined,
  range: string | undefined,
): void {
  if (bytes === undefined) return void answerError(response, 404, "NoSuchKey");
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? [];
  if (first === undefined) return void response.end(bytes);
  const start = Number(first);
  if (start >= bytes.length) return void answerError(response, 416, "InvalidRange");
  const part = bytes.subarray(start, Number(last) + 1);
  const contentRange = `bytes ${start}-${start + part.length - 1}/${bytes.length}`;
  response.writeHead(206, { "content-range": contentRange }).end(part);
}

async function answerList(
  store: MemoryObjectStore,
  asked: URLSearchParams,
  response: ServerResponse,
): Promise<void> {
  const page = await store.list({
    prefix: asked.get("prefix") ?? "",
    startAfter: asked.get("continuation-token") ?? asked.get("start-after") ?? "",
    limit: Math.min(Number(asked.get("max-keys") ?? PAGE_ENTRIES_MAX), PAGE_ENTRIES_MAX),
    ...(asked.get("delimiter") === "/" && { delimiter: "/" }),
  });
  const { keys, prefixes, truncated } = page;
  const elements = [
    element("Name", "bucket"),
    element("KeyCount", keys.length + prefixes.length),
    element("IsTruncated", truncated),
    ...(truncated ? [element("NextContinuationToken", endOf(page) ?? "")] : []),
    ...keys.map((key) => element("Contents", element("Key", key))),
    ...prefixes.map((prefix) => element("CommonPrefixes", element("Prefix", prefix))),
  ];
  const text = `<?xml version="1.0"?>${element("ListBucketResult", elements.join(""))}`;
  response.writeHead(200, { "content-type": "application/xml" }).end(text);
}

/** An XML element. Keys and what is made of them need no escapes. */
function element(name: string, content: unknown): string {
  return `<${name}>${content}</${name}>`;
}
