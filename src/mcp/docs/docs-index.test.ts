import { expect, test } from "vitest";
import { DocsIndex } from "./docs-index.ts";
import { cutPage, PIECE_CHARS_MAX } from "./docs-piece.ts";
import { openDocs } from "./open-docs.ts";

const PAGE = `# Keys

What opens what.

## Make one

\`\`\`sh
# a comment, and no heading
trawl keys create
\`\`\`

## Limits

### Of bytes

So many.
`;

test("a page is cut at its headings, and not within code", () => {
  expect(cutPage("docs/keys.md", PAGE)).toEqual([
    { path: "docs/keys.md", headings: ["Keys"], text: "What opens what." },
    {
      path: "docs/keys.md",
      headings: ["Keys", "Make one"],
      text: "```sh\n# a comment, and no heading\ntrawl keys create\n```",
    },
    { path: "docs/keys.md", headings: ["Keys", "Limits", "Of bytes"], text: "So many." },
  ]);
});

test("long sections are cut between lines, and nothing is lost", () => {
  const lines = Array.from({ length: 400 }, (_, i) => `| setting-${i} | ${"x".repeat(50)} |`);
  const pieces = cutPage("docs/a.md", `# A\n${lines.join("\n")}`);
  expect(pieces.length).toBeGreaterThan(4);
  for (const { text } of pieces) expect(text.length).toBeLessThanOrEqual(PIECE_CHARS_MAX);
  expect(pieces.map(({ text }) => text).join("\n")).toBe(lines.join("\n"));
});

test("what is asked for is found by its words, headings first", () => {
  const index = new DocsIndex(cutPage("docs/keys.md", PAGE));
  expect(index.search("limiting bytes", 5)[0].headings).toEqual(["Keys", "Limits", "Of bytes"]);
  expect(index.search("walrus", 5)).toEqual([]);
  expect(new DocsIndex([]).search("keys", 5)).toEqual([]);
});

test.each([
  ["how do I rotate an API key without downtime", "docs/keys.md"],
  ["prometheus metrics of queries", "docs/observability.md"],
  ["restore a backup", "docs/backup.md"],
  ["import csv files", "docs/import.md"],
  ["which bucket permissions are needed", "docs/object-stores.md"],
])("%s is found in %s", async (query, path) => {
  const paths = (await openDocs()).search(query, 3).map((piece) => piece.path);
  expect(paths).toContain(path);
});
