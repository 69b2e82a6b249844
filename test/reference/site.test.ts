/** The pages of the documentation: all there, and no link leads nowhere. */

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readContents } from "../../scripts/docs/read-contents.ts";
import { readSite } from "../../scripts/docs/read-site.ts";
import { renderGuide } from "../../scripts/docs/render-guide.ts";
import { listRoutes } from "../../src/reference/route-list.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

test("every page is in a group, every link leads somewhere, every picture says what it is", () => {
  expect(readSite(ROOT).faults).toEqual([]);
});

test("every operation has a page, and all groups' pages are there", () => {
  const { pages, groups } = readSite(ROOT);
  const addresses = new Set(pages.map(({ address }) => address));
  expect(addresses.size).toBe(pages.length);
  for (const { name } of listRoutes()) {
    expect(addresses).toContain(`reference/${name.replaceAll("_", "-")}`);
  }
  for (const page of groups.flatMap((group) => group.pages)) expect(addresses).toContain(page);
});

test("pages keep the rule of their policy: no script, style or handler within them", () => {
  for (const { address, html } of readSite(ROOT).pages) {
    const found = html.match(/<script|<style|<iframe|\sstyle=|\son\w+=/i);
    expect([address, found?.[0]]).toEqual([address, undefined]);
  }
});

test("faults of pages are told", async () => {
  const directory = await temporaryDirectory();
  const folder = join(directory.path, "docs");
  await mkdir(folder);
  await writeFile(join(folder, "contents.json"), '[{"title":"A","pages":["a.md","gone.md"]}]');
  await writeFile(join(folder, "a.md"), "# A");
  await writeFile(join(folder, "b.md"), "# B");
  expect(readContents(folder).faults).toEqual([
    "docs/b.md is in no group of docs/contents.json; add it to one",
    "docs/contents.json names gone.md, which is not there; take it out",
  ]);
  const source = "No title, [gone](gone.md), [b](b.md#x), ![](a.md), <b>html</b>";
  const { faults, links, html } = renderGuide("a.md", source, {
    folder,
    site: "/docs",
    addImage: () => {},
  });
  expect(faults).toEqual([
    "docs/a.md links to gone.md, which is not there",
    "docs/a.md shows a.md without saying what it is",
    "docs/a.md does not begin with a title; write # and its title",
  ]);
  expect(links).toContainEqual({ from: "a.md", address: "b", anchor: "x" });
  expect(html).toContain("&lt;b&gt;html&lt;/b&gt;");
  await directory.remove();
});

test("headings have the anchors that hosts of Markdown give them, and equal ones differ", () => {
  const { html, anchors, sections } = renderGuide("a.md", "# A b\n## `x` & y?\n## x  y\n## x  y", {
    folder: ROOT,
    site: "/docs",
    addImage: () => {},
  });
  expect([...anchors]).toEqual(["a-b", "x--y", "x--y-1", "x--y-2"]);
  expect(html).toContain('<h2 id="x--y">');
  expect(sections.map(({ heading }) => heading)).toEqual(["A b", "x & y?", "x y", "x y"]);
});
