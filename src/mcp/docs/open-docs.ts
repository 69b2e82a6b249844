import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { PACKAGE_ROOT } from "../../base/program-files.ts";
import { DocsIndex } from "./docs-index.ts";
import { cutPage, type DocsPiece } from "./docs-piece.ts";

/** Pages of Trawl's documentation are few; a folder of more is not it. */
const PAGES_MAX = 200;

/** Why it was built so is nothing that its users ask for. */
const DECISIONS = "docs/adr/";

/** Reads the documentation that came with the program: README.md and what is below docs/. */
export async function openDocs(program: URL = PACKAGE_ROOT): Promise<DocsIndex> {
  const names = await readdir(fileURLToPath(new URL("docs/", program)), { recursive: true });
  const pages = names
    .map((name) => `docs/${name.replaceAll("\\", "/")}`)
    .filter((path) => path.endsWith(".md") && !path.startsWith(DECISIONS))
    .sort();
  const pieces: DocsPiece[] = [];
  for (const path of ["README.md", ...pages.slice(0, PAGES_MAX)]) {
    pieces.push(...cutPage(path, await readFile(new URL(path, program), "utf8")));
  }
  return new DocsIndex(pieces);
}
