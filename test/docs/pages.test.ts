/** The pages of docs/: each has its place, links lead somewhere, figures are those of the code. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { KEY_REQUEST_MS_MAX } from "../../src/access/key-operations.ts";
import { KEY_WAIT_MS_MAX } from "../../src/access/key-ring.ts";
import { TOKEN_MS_MAX } from "../../src/access/query-token.ts";
import { NAMESPACE_NAME_CHARS_MAX } from "../../src/base/ids.ts";
import { SETTINGS, type Setting } from "../../src/cli/settings/setting-table.ts";
import { RACE_WAIT_MS_MAX } from "../../src/commit/races/log-races.ts";
import { BODY_STALL_MS_MAX } from "../../src/http/bodies/request-body.ts";
import * as kernel from "../../src/kernel/kernel.ts";
import { MCP_MEMBERS_MAX } from "../../src/mcp/mcp-exchange.ts";
import * as limits from "../../src/model/contract-limits.ts";
import { FILTER_OPERATORS } from "../../src/model/filter.ts";
import { LANGUAGES } from "../../src/model/full-text-options.ts";
import { THRESHOLDS } from "../../src/namespace/thresholds.ts";
import { PROBING } from "../../src/query/operator/query-options.ts";
import { FULL_TEXT_DEFAULTS as DEFAULTS } from "../../src/text/full-text-rules.ts";
import {
  CHANGE_SILENCE_MS_MAX,
  CLOSE_MS_MAX,
  TRANSFER_SILENCE_MS_MAX,
} from "../../src/threads/write/silence-bounds.ts";
import { docPages } from "../support/docs/doc-pages.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const settings: readonly Setting[] = SETTINGS;
const PAGES = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".md") && !path.startsWith("adr/"))
  .sort();

test("each page is in docs/contents.json once", () => {
  expect(docPages().toSorted()).toEqual(PAGES);
});

/** The id that a heading gets, as GitHub and the pages of /docs make it. */
function anchorOf(heading: string): string {
  const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
  return text.replace(/[^\p{L}\p{N}_ -]/gu, "").replaceAll(" ", "-");
}

function anchorsOf(text: string): string[] {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, "");
  return [...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchorOf(heading));
}

/** Links of a file that lead nowhere. */
function brokenLinks(path: string): string[] {
  const text = read(path).replace(/^```[\s\S]*?^```$/gm, "");
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link]) => {
    if (/^[a-z]+:/.test(link)) return [];
    const [file, anchor] = link.split("#");
    const target = file === "" ? path : relative(ROOT, join(ROOT, dirname(path), file));
    if (!existsSync(join(ROOT, target))) return [link];
    if (anchor === undefined || !target.endsWith(".md")) return [];
    return anchorsOf(read(target)).includes(anchor) ? [] : [link];
  });
}

test.each([...PAGES.map((page) => `docs/${page}`), "README.md", "examples/README.md"])(
  "the links of %s lead somewhere",
  (path) => {
    expect(brokenLinks(path)).toEqual([]);
  },
);

test("a link that leads nowhere is found", () => {
  expect(anchorsOf("# A `b` (c)\n\n```sh\n# no\n```\n## D, e")).toEqual(["a-b-c", "d-e"]);
});

const count = (value: number) => value.toLocaleString("en");

/** Sizes and numbers as pages write them: 10,752; 8 MiB. */
function shown(value: number): string {
  for (const [unit, size] of [
    ["GiB", 2 ** 30],
    ["MiB", 2 ** 20],
    ["KiB", 2 ** 10],
  ] as const) {
    if (value >= 4 * 2 ** 10 && value % size === 0 && value > size)
      return `${value / size} ${unit}`;
  }
  return count(value);
}

test("docs/concepts/limits.md has the limits of the code", () => {
  const [table] = read("docs/concepts/limits.md").split("\n## ");
  const rows = [...table.matchAll(/^\| (.*?) \| (.*?) \|$/gm)];
  const stated = new Map(rows.slice(1).map(([, what, limit]) => [what, limit]));
  const raceWait = `${RACE_WAIT_MS_MAX / 1000} s; then 429`;
  expect(Object.fromEntries(stated)).toEqual({
    "Write request, decompressed": shown(limits.WRITE_BODY_BYTES_MAX),
    "Any other request, but for [lines of an import](../import.md#lines-over-http)": shown(
      limits.QUERY_BODY_BYTES_MAX,
    ),
    Document: shown(limits.DOCUMENT_BYTES_MAX),
    "Attribute value": shown(limits.ATTRIBUTE_VALUE_BYTES_MAX),
    "Elements of an array": count(limits.ARRAY_ELEMENTS_MAX),
    "Filterable value; of an array each element": shown(limits.FILTERABLE_VALUE_BYTES_MAX),
    "Document id": `${limits.ID_BYTES_MAX} bytes`,
    "Namespace name": `${NAMESPACE_NAME_CHARS_MAX} characters`,
    "Attribute name": `${limits.ATTRIBUTE_NAME_CHARS_MAX} characters`,
    "Attributes of a namespace": count(limits.ATTRIBUTE_COUNT_MAX),
    "Vector attributes of a namespace": count(limits.VECTOR_ATTRIBUTES_MAX),
    "Dimensions of a vector": count(kernel.VECTOR_DIMENSIONS_MAX),
    "Entries of a sparse vector": count(limits.SPARSE_ENTRIES_MAX),
    "Attributes with `embed` of a namespace": count(limits.EMBEDDED_ATTRIBUTES_MAX),
    "Documents of a write that embeds": count(limits.EMBEDDED_ROWS_MAX),
    "Texts that a request embeds to search by": count(limits.EMBED_CLAUSES_MAX),
    "Results of a query, and groups": count(limits.RESULT_ROWS_MAX),
    "`limit` + `offset`, if there is an `offset`": `below ${count(limits.RESULT_WINDOW_END)}`,
    "Queries of a multi-query": count(limits.SUBQUERIES_MAX),
    "Aggregates of a query": count(limits.AGGREGATES_MAX),
    "Elements of an array that `$ref_new` names": count(limits.REFERENCE_ELEMENTS_MAX),
    "Attributes in `group_by`, and in `limit.per.attributes`": count(limits.GROUP_ATTRIBUTES_MAX),
    "Attributes of an order": count(limits.ORDER_BY_MAX),
    "Computed attributes of a query": count(limits.COMPUTED_ATTRIBUTES_MAX),
    "Members of each object in an [MCP](../mcp.md) message": count(MCP_MEMBERS_MAX),
    "Characters of a text query": count(limits.TEXT_QUERY_CHARS_MAX),
    "Characters of a pattern: `Glob`, `Regex`, `Fuzzy`": count(limits.PATTERN_CHARS_MAX),
    "Size of all patterns of a request together": count(limits.PATTERN_SIZE_MAX),
    "Documents that a model reranks": count(limits.RERANK_DOCUMENTS_MAX),
    "Documents of `delete_by_filter`": count(limits.DELETE_BY_FILTER_MAX),
    "Documents of `patch_by_filter`": count(limits.PATCH_BY_FILTER_MAX),
    "Concurrent queries of a namespace":
      `${limits.QUERY_SLOTS} slots; ` + `after ${limits.QUERY_SLOT_WAIT_MS_MAX} ms of waiting 429`,
    "Log of a namespace that is not indexed": `${shown(limits.UNINDEXED_BYTES_MAX)}; beyond it 429`,
    "Wait of a write while other servers write to the same namespace": raceWait,
  });
});

test("docs/concepts/limits.md has the bounds on the time of a request", () => {
  const [, , table] = read("docs/concepts/limits.md").split(/\n## (Time of a request)\n/);
  const rows = [...table.matchAll(/^\| (.*?) \| (.*?) \| (.*?) \|$/gm)];
  const bounds = new Map(rows.map(([, wait, bound]) => [wait.split(/[,;(]/)[0].trim(), bound]));
  const seconds = (ms: number) => `${ms / 1_000} s`;
  const minutes = (ms: number) => `${ms / 60_000} min`;
  const stated = {
    "The next bytes of a body arrive": seconds(BODY_STALL_MS_MAX),
    Write: `${seconds(CHANGE_SILENCE_MS_MAX)} without progress`,
    Copy: `${minutes(TRANSFER_SILENCE_MS_MAX)} without progress`,
    "Warming a cache to its end": `${minutes(TRANSFER_SILENCE_MS_MAX)} without progress`,
    "A stopping server closes the store": seconds(CLOSE_MS_MAX),
    "Creating or revoking an API key": seconds(KEY_REQUEST_MS_MAX),
    "Listing API keys": seconds(KEY_REQUEST_MS_MAX),
    "API keys are read again after a pause": seconds(KEY_WAIT_MS_MAX),
    "A slot for a query of the namespace": `${limits.QUERY_SLOT_WAIT_MS_MAX} ms`,
    "A write's turn while other servers write to the namespace": seconds(RACE_WAIT_MS_MAX),
  };
  for (const [wait, bound] of Object.entries(stated)) expect(bounds.get(wait), wait).toBe(bound);
});

test("the figures of docs/guides/sizing.md and README.md are those of bench/README.md", () => {
  const measured = new Map(
    [...read("bench/README.md").matchAll(/^\| (.*) \|$/gm)].map(([, row]) => {
      const cells = row.split(" | ");
      return [cells[0], cells] as const;
    }),
  );
  for (const page of ["docs/guides/sizing.md", "README.md"]) {
    const tables = read(page)
      .split(/^(?=\| What \| Measured \|$)/m)
      .slice(1);
    const rows = tables.flatMap((table) => [
      ...table.split("\n\n")[0].matchAll(/^\| (?!What|---)(.*?) \| (.*?) \|$/gm),
    ]);
    expect(rows.length).toBeGreaterThan(2);
    for (const [, what, figure] of rows) expect(measured.get(what), what).toContain(figure);
  }
});

test("the figures of README.md beside Lucene are those of bench/README.md", () => {
  const measured = [...read("bench/README.md").matchAll(/^\| (.*) \|$/gm)].map(([, row]) =>
    row.split(" | "),
  );
  const [, table] = read("README.md").split("| Set | Measure | Trawl | Lucene |\n");
  const rows = [...table.split("\n\n")[0].matchAll(/^\| (?!---)(.*?) \|$/gm)];
  expect(rows.length).toBeGreaterThan(2);
  for (const [, row] of rows) {
    const [set, ...figures] = row.split(" | ");
    const found = measured.filter(
      ([name, ...cells]) =>
        set.startsWith(name) && figures.every((figure) => cells.includes(figure)),
    );
    expect(found, row).not.toEqual([]);
  }
});

test("the figures of README.md beside another engine are those of bench/README.md", () => {
  const rowsOf = (page: string, head: string) => {
    const [, table] = read(page).split(`${head}\n`);
    return [...table.split("\n\n")[0].matchAll(/^\| (?!---)(.*?) \|$/gm)].map(([, row]) =>
      row.split(" | "),
    );
  };
  const shown = rowsOf("README.md", "| Work | Clients | Trawl | zvec |");
  const measured = rowsOf(
    "bench/README.md",
    "| Work | Clients | Trawl: p50 / p95 | Trawl | zvec: p50 / p95 | zvec |",
  );
  const headline = measured.map(([work, clients, ours, ourRate, theirs, theirRate]) => {
    const p50 = (both: string) => both.replace(/ \/ .*/, " ms");
    const figures = clients === "1" ? [p50(ours), p50(theirs)] : [ourRate, theirRate];
    return [work, clients, ...figures];
  });
  expect(shown.length).toBeGreaterThan(2);
  expect(shown).toEqual(headline);
});

test.each<[page: string, ...statements: string[]]>([
  ["queries/vectors.md", `at most ${count(PROBING.exactMatchesMax)} documents of a segment match`],
  ["queries/sparse-vectors.md", `at most ${count(limits.SPARSE_ENTRIES_MAX)} for a document`],
  [
    "queries/full-text.md",
    `${LANGUAGES.length} languages`,
    `| \`tokenizer\` | \`${DEFAULTS.tokenizer}\``,
    `| \`language\` | \`${DEFAULTS.language}\``,
    `| \`stemming\` | \`${DEFAULTS.stemming}\``,
    `| \`remove_stopwords\` | \`${DEFAULTS.removeStopwords}\``,
    `| \`case_sensitive\` | \`${DEFAULTS.caseSensitive}\``,
    `| \`ascii_folding\` | \`${DEFAULTS.asciiFolding}\``,
    `| \`max_token_length\` | ${DEFAULTS.maxTokenLength} `,
    `| \`k1\`, \`b\`, \`k3\` | ${DEFAULTS.k1}, ${DEFAULTS.b}, ${DEFAULTS.k3} `,
  ],
  ["queries/order.md", `up to ${limits.ORDER_BY_MAX}.`],
  [
    "queries/filters.md",
    `\`distance\` (0 to ${limits.FUZZY_DISTANCE_MAX})`,
    ...FILTER_OPERATORS.map((operator) => `\`${operator}\``),
  ],
  [
    "queries/aggregates.md",
    `up to ${limits.AGGREGATES_MAX} functions`,
    `${count(limits.RESULT_ROWS_MAX)} unless it is given`,
  ],
  ["queries/hybrid.md", `up to ${limits.SUBQUERIES_MAX} queries`, `${limits.QUERY_SLOTS} slots`],
  ["queries/rerank.md", `add up to ${count(limits.RERANK_DOCUMENTS_MAX)}`],
  [
    "queries/highlights.md",
    `| \`fragment_limit\` | ${limits.HIGHLIGHT_FRAGMENTS_DEFAULT} |`,
    `| 1 to ${count(limits.HIGHLIGHT_FRAGMENTS_MAX)} |`,
    `at most ${limits.COMPUTED_ATTRIBUTES_MAX} computed attributes`,
  ],
  ["queries/export.md", `\`limit\` is at most ${count(limits.RESULT_ROWS_MAX)}`],
  [
    "concepts/documents.md",
    `up to ${count(THRESHOLDS.indexInlineDocumentsMax)} documents`,
    `deletes up to ${count(limits.DELETE_BY_FILTER_MAX)} `,
    `changes up to ${count(limits.PATCH_BY_FILTER_MAX)} documents`,
  ],
  [
    "concepts/vectors-and-indexes.md",
    `below ${count(THRESHOLDS.foldDocumentsMin)} documents and ${shown(THRESHOLDS.foldBytesMin)}`,
    `at ${shown(THRESHOLDS.indexTailBytes)} or ${count(THRESHOLDS.indexTailEntries)}\nlog`,
    `At ${shown(THRESHOLDS.unindexedBytesMax)} of log`,
    `up to ${count(kernel.VECTOR_DIMENSIONS_MAX)} dimensions`,
    `up to ${limits.VECTOR_ATTRIBUTES_MAX} vector attributes`,
  ],
  [
    "concepts/costs.md",
    `of ${limits.QUERY_SLOTS} slots`,
    `${limits.QUERY_SLOT_WAIT_MS_MAX} ms`,
    `at least ${count(limits.BILLED_QUERY_BYTES_MIN)} for a query`,
    `after ${settings.find(({ name }) => name === "query-timeout")?.default} s`,
  ],
  ["guides/rag.md", `at most ${limits.EMBEDDED_ROWS_MAX} documents`],
  ["keys.md", `at most ${TOKEN_MS_MAX / 86_400_000} days`],
  ["guides/several-nodes.md", `(${limits.STALENESS_SECONDS_DEFAULT}) behind`],
])("docs/%s states what the code does", (page, ...statements) => {
  const text = read(`docs/${page}`);
  for (const statement of statements) expect(text).toContain(statement);
});
