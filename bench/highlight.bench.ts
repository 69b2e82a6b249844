/**
 * Highlights of one long text in one thread: MB/s of UTF-8, and the longest step, by how the text
 * is cut. One in a thousand words is looked for, or none, or one in ten. Run: `npm run build &&
 * node bench/highlight.bench.ts`.
 *
 * Steps are the same in every run, so each one's time is the least of several runs.
 */

import { seededRandom } from "../src/base/random.ts";
import type { Highlight } from "../src/model/query.ts";
import { runRequest } from "../src/query/executor/run-request.ts";
import type { FragmentUnit } from "../src/text/fragments.ts";
import {
  BY_ID,
  documentOf,
  documentQuery,
  fullText,
  KERNELS,
  openSnapshot,
  requestOf,
  schemaOf,
} from "../test/support/queries/query-fixture.ts";

const MIB = 1024 * 1024;
const RUNS = 7;
const VOCABULARY_WORDS = 30_000;
const LETTERS = "eeeetttaaaooiinnsshhrrddlcumwfgypbvk";

/** Invented prose, with sentences of some 8 words and paragraphs of some 80. */
function prose(bytes: number): string {
  const random = seededRandom(1);
  const word = () =>
    Array.from({ length: 2 + random.below(5) + random.below(5) }, () =>
      LETTERS.charAt(random.below(LETTERS.length)),
    ).join("");
  const words = Array.from({ length: VOCABULARY_WORDS }, word);
  const parts: string[] = [];
  for (let length = 0; length < bytes; ) {
    const drawn = random.below(1_000);
    const rank = Math.floor(VOCABULARY_WORDS ** random.next()) - 1;
    const next = drawn === 0 ? "Needle" : drawn < 100 ? "Common" : words[rank];
    const end = random.below(8) > 0 ? " " : random.below(10) > 0 ? ". " : ".\n";
    parts.push(next + end);
    length += next.length + end.length;
  }
  return parts.join("");
}

const schema = schemaOf({ text: { type: "string", fullTextSearch: fullText() } });

function measure(text: string, fragmentBy: FragmentUnit, query: string): void {
  const snapshot = openSnapshot(schema, [{ documents: [documentOf(1n, { text })] }]);
  const highlight: Highlight = {
    kind: "highlight",
    attribute: "text",
    fragmentBy,
    fragmentLimit: 3,
    offsets: "utf-8",
    rankFragmentsBy: { kind: "bm25", attribute: "$fragment", query, lastAsPrefix: false },
  };
  const request = requestOf(documentQuery(BY_ID, { computed: new Map([["h", highlight]]) }));
  const least: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const steps = runRequest(snapshot, request, { kernels: KERNELS });
    for (let step = 0, done: boolean | undefined = false; done !== true; step++) {
      const start = performance.now();
      ({ done } = steps.next());
      const took = performance.now() - start;
      least[step] = Math.min(least[step] ?? Number.POSITIVE_INFINITY, took);
    }
  }
  const all = least.reduce((sum, took) => sum + took, 0);
  const rate = (text.length / all / 1e3).toFixed(0).padStart(5);
  const longest = Math.max(...least).toFixed(2);
  console.log(
    `${(text.length / MIB).toFixed(0)} MiB by ${fragmentBy.padEnd(9)} ${query.padEnd(7)} ` +
      `${rate} MB/s, ${all.toFixed(1)} ms in ${least.length} steps, the longest ${longest} ms`,
  );
}

for (const size of [1, 8]) {
  const text = prose(size * MIB);
  for (const fragmentBy of ["sentence", "paragraph", "word", "none"] as const) {
    for (const query of ["absent", "needle", "common"]) measure(text, fragmentBy, query);
  }
}
