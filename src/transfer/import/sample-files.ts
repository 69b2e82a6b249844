import { MIB } from "../../base/byte-sizes.ts";
import type { OpenedFile } from "../read/opened-file.ts";
import { FILE_START, type SourceRow } from "../read/source-row.ts";
import type { SampledFile } from "./column-samples.ts";

/** Rows of a file that types are inferred from. */
const SAMPLE_ROWS = 1_000;
/** Bytes of such rows, where they are long. */
const SAMPLE_BYTES = 8 * MIB;
/** Files that are sampled; the headers of all are looked at. */
const SAMPLED_FILES_MAX = 8;

/** The beginnings of the files, from which an import is planned. */
export async function sampleFiles(files: readonly OpenedFile[]): Promise<SampledFile[]> {
  const sampled: SampledFile[] = [];
  for (const [i, { name, reader }] of files.entries()) {
    const columns = await reader.columns();
    const rows: SourceRow[] = [];
    let bytes = 0;
    if (i < SAMPLED_FILES_MAX) {
      for await (const some of reader.rows(FILE_START)) {
        rows.push(...some.slice(0, SAMPLE_ROWS - rows.length));
        for (const { content } of some) if (content.kind === "json") bytes += content.text.length;
        if (rows.length >= SAMPLE_ROWS || bytes >= SAMPLE_BYTES) break;
      }
    }
    sampled.push({ name, columns, rows });
  }
  return sampled;
}
