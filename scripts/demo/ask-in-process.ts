/** The last stop of the demo: the same data without a server. */

import { openTrawl } from "../../src/library/open-trawl.ts";
import type { Found } from "./query-tour.ts";

/** The query, as it would be typed. */
export const LIBRARY_CALL =
  'const trawl = await openTrawl({ dataDir });\n  await trawl.namespace("artworks").query(…)';

/** Opens the directory in this process, asks for artworks about storms, and closes it. */
export async function askInProcess(dataDir: string): Promise<Found> {
  const trawl = await openTrawl({ dataDir, logLevel: "error" });
  try {
    const columns = ["title", "artists"];
    const { rows = [], performance } = await trawl.namespace("artworks").query({
      rank_by: ["about", "BM25", "storm at sea"],
      limit: 3,
      include_attributes: columns,
    });
    const lines = rows.map((row) => columns.map((name) => row[name]));
    return { columns, lines, milliseconds: performance.server_total_ms };
  } finally {
    await trawl.close();
  }
}
