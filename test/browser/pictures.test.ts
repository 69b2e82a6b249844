/** Every screen over real data at three widths; `TRAWL_SCREENSHOTS` keeps what was seen. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { describeConsole, WIDTHS } from "../support/console/open-console.ts";
import { screenshot } from "../support/console/screenshot.ts";
import { writeArtworks } from "../support/console/write-artworks.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

const ARTWORKS = "/console/namespaces/artworks";
const QUERY = {
  rank_by: ["title", "BM25", "the sea at night"],
  filters: ["start_year", "Gt", 1800],
  top_k: 10,
  include_attributes: ["title", "artists", "medium", "start_year"],
};
const Q = encodeURIComponent(JSON.stringify(QUERY));

/** Where each screen is, and what is done there until there is something to see. */
const SCREENS: Readonly<Record<string, readonly [path: string, show: (page: Page) => unknown]>> = {
  namespaces: [
    "/console/namespaces",
    (page) => page.getByRole("link", { name: "artworks" }).first().waitFor(),
  ],
  documents: [`${ARTWORKS}/documents`, (page) => page.getByRole("row").nth(5).waitFor()],
  query: [
    `${ARTWORKS}/query?q=${Q}`,
    async (page) => {
      await page.getByRole("button", { name: "Run", exact: true }).click();
      const found = page.getByRole("table", { name: "Documents found" });
      await found.getByRole("row").nth(5).waitFor();
    },
  ],
  explain: [
    `${ARTWORKS}/explain?q=${Q}&ran=measure`,
    (page) => page.getByText("Scan: 4000 live documents").waitFor(),
  ],
  relevance: [
    `${ARTWORKS}/relevance?q=sea`,
    async (page) => {
      await page.getByLabel("Vector of document (id)").fill("3");
      await page.getByRole("button", { name: "Run", exact: true }).click();
      await page.getByText("A Fishing Boat in Dieppe Harbour").first().waitFor();
    },
  ],
  map: [
    `${ARTWORKS}/map?color=medium`,
    async (page) => {
      await page.locator('canvas[data-drawn="4000"]').waitFor();
      await page.getByText("Oil paint on canvas").first().waitFor();
    },
  ],
  import: [
    "/console/import",
    async (page) => {
      const directory = await temporaryDirectory();
      onTestFinished(() => directory.remove());
      const path = join(directory.path, "paintings.csv");
      const titles = ["The Pilot Boat", "Ship in a Storm", "Portrait of a Lady", "Still Life"];
      const rows = titles.map((title, i) => `N${i},"${title}, no. ${i}",${1800 + i},${i}.5`);
      writeFileSync(path, ["code,title,year,width", ...rows].join("\n"));
      await page.locator("input[type=file]").setInputFiles(path);
      await page.getByLabel("Full text of title").waitFor();
    },
  ],
  operation: [
    "/console/operation",
    (page) => page.getByText("Every two seconds, the last ten minutes").waitFor(),
  ],
};

describeConsole("all screens", [], (fixture) => {
  beforeAll(() => writeArtworks(fixture.url));

  test.each(Object.keys(SCREENS))("%s fits each window", async (name) => {
    const [path, show] = SCREENS[name];
    for (const width of WIDTHS) {
      const page = await fixture.open(path, { width });
      await show(page);
      const needed = await page.evaluate("document.documentElement.scrollWidth");
      expect(needed, `${width} pixels`).toBeLessThanOrEqual(width);
      await screenshot(page, `${name}-${width}`);
    }
  });
});
