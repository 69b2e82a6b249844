/** What the parts of the site's build hand to each other. */

/** A part of a page that search finds by itself. */
export interface PageSection {
  readonly heading: string;
  /** The place in its page; empty: its beginning. */
  readonly anchor: string;
  /** Its words, without marks. */
  readonly text: string;
}

/** One page of the site. */
export interface DocPage {
  /** Below the site, without an ending, as in `queries/vectors`; `index` is the first one. */
  readonly address: string;
  readonly title: string;
  readonly html: string;
  readonly sections: readonly PageSection[];
}

/** A group of pages beside each other in the list of all pages. */
export interface PageGroup {
  readonly title: string;
  /** Addresses. */
  readonly pages: readonly string[];
}

/** Makes text fit between tags and in attributes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** A block of code that can be copied. */
export function codeHtml(code: string, language: string): string {
  const label = LANGUAGES[language] ?? language;
  const name = label === "" ? "" : `<span class="language">${escapeHtml(label)}</span>`;
  const pre = `<pre tabindex="0"><code>${escapeHtml(code)}</code></pre>`;
  return `<div class="code">${name}${pre}</div>\n`;
}

/** Names of languages as people know them. */
const LANGUAGES: Readonly<Record<string, string>> = {
  sh: "Shell",
  bash: "Shell",
  ts: "TypeScript",
  js: "JavaScript",
  python: "Python",
  json: "JSON",
  yaml: "YAML",
};
