/** All pages of the site: those of docs/, those of the reference, and lists of them. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { codeHtml, type DocPage, escapeHtml, type PageGroup } from "./doc-page.ts";
import { readContents } from "./read-contents.ts";
import { referencePages } from "./reference-pages.ts";
import { addressOf, hrefOf, type PageLink, renderGuide } from "./render-guide.ts";

/** Where the server has the site. */
export const SITE = "/docs";
const DECISIONS_PAGE = "adr/index";

/** What a site is made of. */
export interface Site {
  readonly pages: readonly DocPage[];
  readonly groups: readonly PageGroup[];
  /** Files below the folder of documentation. */
  readonly images: readonly string[];
  /** Pages that are in no group, and links that lead nowhere. */
  readonly faults: readonly string[];
}

/** Reads and renders all pages; `root` is the project's folder. */
export function readSite(root: string): Site {
  const folder = join(root, "docs");
  const contents = readContents(folder);
  const images = new Set<string>();
  const files = [...contents.groups.flatMap(({ pages }) => pages), ...contents.decisions];
  const guides = files.map((path) => {
    const source = readFileSync(join(folder, path), "utf8");
    return renderGuide(path, source, { folder, site: SITE, addImage: (file) => images.add(file) });
  });
  const reference = referencePages(SITE);
  const groups = [
    ...contents.groups.map(({ title, pages }) => ({ title, pages: pages.map(addressOf) })),
    ...reference.groups,
    { title: "Decisions", pages: [DECISIONS_PAGE] },
  ];
  const decisions = guides.filter(({ address }) => address.startsWith("adr/"));
  const written: readonly DocPage[] = [...guides, ...reference.pages, decisionsPage(decisions)];
  const pages = [homePage(groups, written), ...written];
  const anchors = new Map(guides.map((guide) => [guide.address, guide.anchors]));
  const links = guides.flatMap((guide) => guide.links);
  const faults = [
    ...contents.faults,
    ...guides.flatMap((guide) => guide.faults),
    ...links.flatMap((link) => linkFault(link, anchors)),
  ];
  return { pages, groups, images: [...images], faults };
}

function linkFault(
  { from, address, anchor }: PageLink,
  anchors: ReadonlyMap<string, ReadonlySet<string>>,
): string[] {
  const there = anchors.get(address);
  if (there === undefined) return [`docs/${from} links to docs/${address}.md, which is no page`];
  if (anchor === "" || there.has(anchor)) return [];
  return [`docs/${from} links to #${anchor} of docs/${address}.md, where no heading is called so`];
}

function homePage(groups: readonly PageGroup[], pages: readonly DocPage[]): DocPage {
  const titles = new Map(pages.map(({ address, title }) => [address, title]));
  const lists = groups.map(({ title, pages: addresses }) => {
    const items = addresses.map((address) => {
      const name = escapeHtml(titles.get(address) ?? address);
      return `<li><a href="${hrefOf(SITE, address)}">${name}</a></li>`;
    });
    return `<section><h2>${escapeHtml(title)}</h2><ul>${items.join("")}</ul></section>`;
  });
  return {
    address: "index",
    title: "Trawl",
    html:
      '<h1 id="top">Trawl</h1>\n<p>Self-hosted document search: by vectors, words, filters and ' +
      "numbers, with the turbopuffer v2 HTTP API.</p>\n" +
      codeHtml("npm start", "sh") +
      lists.join("\n"),
    sections: [],
  };
}

function decisionsPage(decisions: readonly DocPage[]): DocPage {
  const items = decisions.map(
    ({ address, title }) => `<li><a href="${hrefOf(SITE, address)}">${escapeHtml(title)}</a></li>`,
  );
  return {
    address: DECISIONS_PAGE,
    title: "Decisions",
    html:
      '<h1 id="top">Decisions</h1>\n<p>The larger decisions, what was rejected, and why.</p>\n' +
      `<ul>${items.join("")}</ul>\n`,
    sections: [{ heading: "Decisions", anchor: "", text: "" }],
  };
}
