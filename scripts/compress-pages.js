/** Compresses the built pages once, so that the server need not for each request. */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

/** Below it the headers weigh more than what is saved. */
const COMPRESSED_BYTES_MIN = 512;
const TEXTS = [".html", ".js", ".css", ".json", ".svg", ".txt", ".xml"];

/** Writes `FILE.gz` and `FILE.br` beside each text below `folder`, where they are smaller. */
export function compressPages(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !TEXTS.includes(extname(entry.name))) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = readFileSync(path);
    if (bytes.length < COMPRESSED_BYTES_MIN) continue;
    const brotli = brotliCompressSync(bytes, {
      params: {
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    });
    const forms = { ".gz": gzipSync(bytes, { level: 9 }), ".br": brotli };
    for (const [ending, packed] of Object.entries(forms)) {
      if (packed.length < bytes.length) writeFileSync(path + ending, packed);
    }
  }
}
