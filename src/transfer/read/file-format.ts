/** How a file is written, told by its first bytes and its name. */

import { withoutMark } from "../../base/json-bytes.ts";

/** Formats that can be named. */
export const FILE_FORMATS = ["jsonl", "json", "csv", "tsv", "parquet", "arrow"] as const;

/** How a file is written. */
export type FileFormat = (typeof FILE_FORMATS)[number];

const FORMAT_OF_ENDING: ReadonlyMap<string, FileFormat> = new Map([
  ["jsonl", "jsonl"],
  ["ndjson", "jsonl"],
  ["csv", "csv"],
  ["tsv", "tsv"],
  ["tab", "tsv"],
  ["parquet", "parquet"],
  ["arrow", "arrow"],
  ["arrows", "arrow"],
  ["feather", "arrow"],
  ["ipc", "arrow"],
]);

/** What the bytes say goes before what the name says, where they say anything. */
export function formatOf(name: string, head: Uint8Array): FileFormat | undefined {
  const magic = Buffer.from(head.subarray(0, 6)).toString("latin1");
  if (magic.startsWith("PAR1")) return "parquet";
  if (magic === "ARROW1" || magic.startsWith("\xff\xff\xff\xff")) return "arrow";
  const ending = /\.([a-z]+)(?:\.(?:gz|gzip|zst|zstd))?$/i.exec(name)?.[1].toLowerCase();
  const named = FORMAT_OF_ENDING.get(ending ?? "");
  if (named !== undefined && named !== "jsonl") return named;
  const first = firstByte(withoutMark(head));
  if (first === "[" || (first === "" && ending === "json")) return "json";
  if (first === "{" || named === "jsonl") return "jsonl";
  return undefined;
}

function firstByte(head: Uint8Array): string {
  const at = head.findIndex((byte) => byte > 0x20);
  return at < 0 ? "" : String.fromCharCode(head[at]);
}
