/** Writes the site into a folder: pages, search index, script, style sheet and images. */

import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import MiniSearch from "minisearch";
import { build } from "vite";
import { SEARCH_OPTIONS } from "../../console/docs/search-options.ts";
import type { DocPage } from "./doc-page.ts";
import { pageHtml, type SiteFrame } from "./page-shell.ts";
import { SITE, type Site } from "./read-site.ts";
import { hrefOf } from "./render-guide.ts";

/** Writes a site into a folder that is not there yet. */
export async function writeSite(root: string, site: Site, output: string): Promise<void> {
  const assets = await bundleAssets(root, output);
  const titles = new Map(site.pages.map(({ address, title }) => [address, title]));
  const frame: SiteFrame = { site: SITE, groups: site.groups, titles, ...assets };
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(output, path)), { recursive: true });
    writeFileSync(join(output, path), text);
  };
  for (const page of site.pages) write(`${page.address}.html`, pageHtml(page, frame));
  write("search-index.json", JSON.stringify(searchIndex(site.pages)));
  for (const image of site.images) {
    mkdirSync(dirname(join(output, image)), { recursive: true });
    copyFileSync(join(root, "docs", image), join(output, image));
  }
}

/** Decisions are found by their headings: they are not for those who look how to do something. */
function searchIndex(pages: readonly DocPage[]): MiniSearch {
  const index = new MiniSearch(SEARCH_OPTIONS);
  for (const { address, title, sections } of pages) {
    const isDecision = address.startsWith("adr/");
    for (const { heading, anchor, text } of isDecision ? sections.slice(0, 1) : sections) {
      const id = hrefOf(SITE, address, anchor);
      index.add({ id, heading, title, text: isDecision ? "" : text });
    }
  }
  return index;
}

/** Bundles what browsers load, and tells under which names. */
async function bundleAssets(
  root: string,
  output: string,
): Promise<Pick<SiteFrame, "script" | "style" | "icon">> {
  const built = await build({
    configFile: false,
    root: join(root, "console"),
    base: `${SITE}/`,
    publicDir: false,
    logLevel: "warn",
    build: {
      outDir: output,
      emptyOutDir: true,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions: {
        input: {
          page: join(root, "console/docs/docs-page.ts"),
          style: join(root, "console/docs/docs.css"),
        },
      },
    },
  });
  const files = "output" in built ? built.output.map(({ fileName }) => fileName) : [];
  const named = (pattern: RegExp) => {
    const found = files.find((name) => pattern.test(name));
    if (found === undefined) throw new Error(`the bundler made no ${pattern} of ${files}`);
    return `${SITE}/${found}`;
  };
  copyFileSync(join(root, "console/trawl.svg"), join(output, "trawl.svg"));
  return {
    script: named(/page.*\.js$/),
    style: named(/\.css$/),
    icon: `${SITE}/trawl.svg`,
  };
}
