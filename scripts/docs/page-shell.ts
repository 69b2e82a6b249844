/** The page around what a page says: head, list of pages, search, what is on the page. */

import { CONSOLE_LINK } from "../../src/http/pages/console-link.ts";
import { type DocPage, escapeHtml, type PageGroup } from "./doc-page.ts";
import { hrefOf } from "./render-guide.ts";

/** What all pages share. */
export interface SiteFrame {
  /** The path of the site, such as `/docs`. */
  readonly site: string;
  readonly groups: readonly PageGroup[];
  /** By address. */
  readonly titles: ReadonlyMap<string, string>;
  /** Addresses of the built script and style sheet. */
  readonly script: string;
  readonly style: string;
  readonly icon: string;
}

/** A whole page. */
export function pageHtml(page: DocPage, frame: SiteFrame): string {
  const { site } = frame;
  const title = page.address === "index" ? page.title : `${page.title} · Trawl`;
  return `<!doctype html>
<html lang="en" data-theme="system">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${frame.icon}">
<link rel="stylesheet" href="${frame.style}">
<script type="module" src="${frame.script}"></script>
</head>
<body>
<a class="skip" href="#docs-page">Skip to the page</a>
<header class="top">
<a class="name" href="${site}/">Trawl</a>
<div class="search" role="search" hidden>
<input id="docs-search" type="search" placeholder="Search  /" aria-label="Search the documentation"
 autocomplete="off" role="combobox" aria-expanded="false" aria-controls="docs-found"
 aria-autocomplete="list">
<ul id="docs-found" role="listbox" aria-label="Found" hidden></ul>
<p id="docs-found-count" class="visually-hidden" role="status"></p>
</div>
<label class="theme" hidden>Look <select id="docs-theme">
<option value="system">System</option><option value="light">Light</option>
<option value="dark">Dark</option><option value="contrast">High contrast</option>
</select></label>
${CONSOLE_LINK}</header>
<div class="columns">
<nav class="pages" aria-label="Pages">${navigationHtml(page, frame)}</nav>
<main id="docs-page" tabindex="-1">
${page.html}</main>
${outlineHtml(page)}</div>
</body>
</html>
`;
}

/** Pages beside the list have one that leads back to it, since there are many of them. */
function navigationHtml(page: DocPage, { site, groups, titles }: SiteFrame): string {
  const item = (address: string) => {
    const current = address === page.address ? ' aria-current="page"' : "";
    const name = escapeHtml(titles.get(address) ?? address);
    return `<li><a href="${hrefOf(site, address)}"${current}>${name}</a></li>`;
  };
  return groups
    .map(({ title, pages }) => {
      const isOpen = pages.includes(page.address) || page.address === "index";
      return (
        `<details${isOpen ? " open" : ""}><summary>${escapeHtml(title)}</summary>` +
        `<ul>${pages.map(item).join("")}</ul></details>`
      );
    })
    .join("\n");
}

function outlineHtml({ sections }: DocPage): string {
  const shown = sections.filter(({ anchor }) => anchor !== "");
  if (shown.length < 2) return "";
  const items = shown.map(
    ({ anchor, heading }) => `<li><a href="#${anchor}">${escapeHtml(heading)}</a></li>`,
  );
  const list = `<h2>On this page</h2><ul>${items.join("")}</ul>`;
  return `<nav class="outline" aria-label="On this page">${list}</nav>\n`;
}
