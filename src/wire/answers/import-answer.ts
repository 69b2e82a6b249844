import { jsonBytes } from "../json/json-writer.ts";

/** What an import did. */
export interface ImportAnswer {
  readonly rows: number;
  /** Writes that they were committed in. */
  readonly batches: number;
  readonly billedBytes: number;
  readonly serverTotalMs: number;
}

/** Encodes an import's answer; its members have the names of a write's, as far as it has them. */
export function encodeImportAnswer(answer: ImportAnswer): Uint8Array<ArrayBuffer> {
  const { rows, batches, billedBytes, serverTotalMs } = answer;
  const shape = {
    status: "OK",
    message: "documents committed successfully",
    rows_affected: rows,
    rows_upserted: rows,
    batches,
    billing: { billable_logical_bytes_written: billedBytes },
    performance: { server_total_ms: Math.round(serverTotalMs) },
  };
  return jsonBytes((json) => json.raw(JSON.stringify(shape)));
}
