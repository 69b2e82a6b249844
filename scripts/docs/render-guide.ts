/** Pages written by hand, from Markdown to HTML: anchors, code, and links that lead somewhere. */

import { existsSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { Marked, type Token, type Tokens } from "marked";
import { codeHtml, type DocPage, escapeHtml, type PageSection } from "./doc-page.ts";

/** Where pages come from and go to. */
export interface RenderOptions {
  /** The folder of the Markdown files. */
  readonly folder: string;
  /** The path of the site, such as `/docs`. */
  readonly site: string;
  /** Called with each image, as a path below the folder. */
  readonly addImage: (path: string) => void;
}

/** A page, and the places that its links lead to. */
export interface RenderedGuide extends DocPage {
  readonly anchors: ReadonlySet<string>;
  readonly links: readonly PageLink[];
  /** What is wrong with it, apart from links to other pages. */
  readonly faults: readonly string[];
}

/** A link to a page of the site. */
export interface PageLink {
  readonly from: string;
  readonly address: string;
  readonly anchor: string;
}

/** Renders one file; `path` is below the folder. */
export function renderGuide(path: string, source: string, options: RenderOptions): RenderedGuide {
  return new GuideRenderer(path, options).render(source);
}

/** The address of the page that a file becomes. */
export function addressOf(path: string): string {
  return path.replace(/\.md$/, "").replace(/(^|\/)README$/, "$1index");
}

class GuideRenderer {
  readonly #path: string;
  readonly #options: RenderOptions;
  readonly #anchors = new Set<string>();
  readonly #links: PageLink[] = [];
  readonly #faults: string[] = [];
  readonly #marked: Marked;

  constructor(path: string, options: RenderOptions) {
    this.#path = path;
    this.#options = options;
    const self = this;
    this.#marked = new Marked({
      renderer: {
        heading({ tokens, depth, text }) {
          const anchor = self.#anchorOf(text);
          const link = depth === 1 ? "" : self.#anchorLink(anchor, text);
          const name = `h${depth}`;
          return `<${name} id="${anchor}">${this.parser.parseInline(tokens)}${link}</${name}>\n`;
        },
        code: ({ text, lang = "" }) => codeHtml(text, lang.split(" ")[0]),
        // The one mark that a cell of a table needs.
        html: ({ text }) => (text === "<br>" ? text : escapeHtml(text)),
        link({ href, tokens }) {
          return self.#link(href, this.parser.parseInline(tokens));
        },
        image: ({ href, text }) => self.#image(href, text),
        table(token) {
          return tableHtml(token, (tokens) => this.parser.parseInline(tokens));
        },
      },
    });
  }

  render(source: string): RenderedGuide {
    const tokens = this.#marked.lexer(source);
    const html = this.#marked.parser(tokens);
    const [first] = tokens;
    if (first?.type !== "heading" || (first as Tokens.Heading).depth !== 1) {
      this.#faults.push(`docs/${this.#path} does not begin with a title; write # and its title`);
    }
    return {
      address: addressOf(this.#path),
      title: plainText([first]),
      html,
      sections: sectionsOf(tokens),
      anchors: this.#anchors,
      links: this.#links,
      faults: this.#faults,
    };
  }

  /** As hosts of Markdown make them, so that links hold there, too. */
  #anchorOf(heading: string): string {
    const base = anchorText(heading);
    let anchor = base;
    for (let i = 1; this.#anchors.has(anchor); i++) anchor = `${base}-${i}`;
    this.#anchors.add(anchor);
    return anchor;
  }

  #anchorLink(anchor: string, heading: string): string {
    const label = escapeHtml(`Link to “${heading.replace(/[`*]/g, "")}”`);
    return ` <a class="anchor" href="#${anchor}" aria-label="${label}">#</a>`;
  }

  #link(href: string, html: string): string {
    if (/^(https?|mailto):/.test(href)) return `<a href="${escapeHtml(href)}">${html}</a>`;
    const [target, anchor = ""] = href.split("#");
    const file = target === "" ? this.#path : posix.join(posix.dirname(this.#path), target);
    if (!existsSync(join(this.#options.folder, file))) {
      this.#faults.push(`docs/${this.#path} links to ${href}, which is not there`);
    }
    // What is no page can be read in the sources.
    if (file.startsWith("..") || !file.endsWith(".md")) return `<span>${html}</span>`;
    const address = addressOf(file);
    this.#links.push({ from: this.#path, address, anchor });
    return `<a href="${hrefOf(this.#options.site, address, anchor)}">${html}</a>`;
  }

  #image(href: string, alt: string): string {
    const file = posix.join(dirname(this.#path), href);
    if (!existsSync(join(this.#options.folder, file))) {
      this.#faults.push(`docs/${this.#path} shows ${href}, which is not there`);
    }
    if (alt === "") this.#faults.push(`docs/${this.#path} shows ${href} without saying what it is`);
    this.#options.addImage(file);
    return `<img src="${this.#options.site}/${file}" alt="${escapeHtml(alt)}" loading="lazy">`;
  }
}

/** Where a page is. */
export function hrefOf(site: string, address: string, anchor = ""): string {
  const place = anchor === "" ? "" : `#${anchor}`;
  return `${site}/${address.replace(/(^|\/)index$/, "$1")}${place}`;
}

/** The anchor of a heading. */
export function anchorText(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/<[^>]+>/g, "")
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");
}

/** Wide tables scroll by themselves, and by keys. */
function tableHtml({ header, rows }: Tokens.Table, inline: (tokens: Token[]) => string): string {
  const row = (cells: Tokens.TableCell[], tag: "td" | "th") => {
    const scope = tag === "th" ? ' scope="col"' : "";
    const shown = cells.map(({ tokens }) => `<${tag}${scope}>${inline(tokens)}</${tag}>`);
    return `<tr>${shown.join("")}</tr>`;
  };
  const body = rows.map((cells) => row(cells, "td")).join("\n");
  return (
    '<div class="scroll" tabindex="0"><table>' +
    `<thead>${row(header, "th")}</thead><tbody>${body}</tbody></table></div>\n`
  );
}

/** The text below each heading of the first three levels. */
function sectionsOf(tokens: readonly Token[]): PageSection[] {
  const sections: { heading: string; anchor: string; text: string }[] = [];
  for (const token of tokens) {
    if (token.type === "heading" && (token as Tokens.Heading).depth <= 3) {
      const heading = plainText([token]);
      const anchor = sections.length === 0 ? "" : anchorText((token as Tokens.Heading).text);
      sections.push({ heading, anchor, text: "" });
      continue;
    }
    const last = sections.at(-1);
    if (last !== undefined) last.text += ` ${plainText([token])}`;
  }
  return sections;
}

/** The words of tokens, without marks; code of more than a line is left out. */
function plainText(tokens: readonly (Token | undefined)[]): string {
  const words = tokens.map((token) => {
    if (token === undefined || token.type === "code") return "";
    if (token.type === "table") {
      const { header, rows } = token as Tokens.Table;
      return plainText([header, ...rows].flat().flatMap(({ tokens: inner }) => inner));
    }
    if (token.type === "list") {
      return plainText((token as Tokens.List).items.flatMap(({ tokens: inner }) => inner));
    }
    if ("tokens" in token && token.tokens !== undefined) return plainText(token.tokens);
    return "text" in token ? String(token.text) : "";
  });
  return words.join(" ").replace(/\s+/g, " ").trim();
}
