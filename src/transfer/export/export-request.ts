/** What an export was asked for; a resumed one must ask for the same. */

/** Forms of the file. */
export type ExportFormat = "jsonl" | "csv" | "parquet";

/** See the file's head. */
export interface ExportRequest {
  /** Base URL of the server. */
  readonly url: string;
  readonly namespace: string;
  /** The file that will be there in the end. */
  readonly out: string;
  readonly format: ExportFormat;
  readonly gzip: boolean;
  /** The filter's JSON as the user wrote it; null for all documents. */
  readonly filters: string | null;
  /** Vectors as arrays of decimals, as base64 of float32, or left out. */
  readonly vectors: "float" | "base64" | "none";
  /** In CSV, an apostrophe stands before texts that spreadsheets would run. */
  readonly escapesFormulas?: true;
  /** Whether to read a branch, which stays as it is, or the namespace itself. */
  readonly snapshot: boolean;
}

/** Where the schema of an exported file is. */
export function schemaPath(out: string): string {
  return `${out}.schema.json`;
}

/** The form that a file's name asks for; undefined for a name that asks for none. */
export function formatOfName(out: string): { format: ExportFormat; gzip: boolean } | undefined {
  const parts = /\.(jsonl|ndjson|csv|parquet)(\.gz)?$/i.exec(out);
  if (parts === null) return undefined;
  const name = parts[1].toLowerCase();
  const gzip = parts[2] !== undefined;
  const format = name === "csv" || name === "parquet" ? name : "jsonl";
  // Parquet has compression of its own, and is read from its end.
  return format === "parquet" && gzip ? undefined : { format, gzip };
}
