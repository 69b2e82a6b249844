/** Search over all pages of the documentation, in the browser. */

import MiniSearch, { type SearchResult } from "minisearch";
import { systemClock } from "../../src/base/clock.ts";
import { SEARCH_OPTIONS } from "./search-options.ts";

const SHOWN_MAX = 12;
/** Choosing by the mouse takes the focus, too: the list stays so long. */
const CLOSE_MS = 150;

/** Loads the index, and shows what fits what is typed. */
export async function startSearch(input: HTMLInputElement): Promise<void> {
  const list = document.querySelector<HTMLElement>("#docs-found");
  const count = document.querySelector<HTMLElement>("#docs-found-count");
  if (list === null || count === null) return;
  const search = new SearchBox(input, list, count);
  const response = await fetch("/docs/search-index.json");
  if (!response.ok) {
    search.fail(`The index could not be loaded (${response.status}).`);
    return;
  }
  search.use(MiniSearch.loadJSON(await response.text(), SEARCH_OPTIONS));
}

class SearchBox {
  readonly #input: HTMLInputElement;
  readonly #list: HTMLElement;
  readonly #count: HTMLElement;
  #index: MiniSearch | undefined;
  #found: readonly SearchResult[] = [];
  #chosen = 0;

  constructor(input: HTMLInputElement, list: HTMLElement, count: HTMLElement) {
    this.#input = input;
    this.#list = list;
    this.#count = count;
    input.addEventListener("input", () => this.#search());
    input.addEventListener("keydown", (event) => this.#onKey(event));
    input.addEventListener("blur", () => {
      // The list stays open if the field has the focus again by then.
      const close = () => document.activeElement !== input && this.#close();
      void systemClock.sleep(CLOSE_MS).then(close);
    });
  }

  use(index: MiniSearch): void {
    this.#index = index;
    this.#search();
  }

  fail(message: string): void {
    this.#count.textContent = message;
    this.#list.replaceChildren(optionOf(message, ""));
    this.#open(true);
  }

  #search(): void {
    const words = this.#input.value.trim();
    this.#found = words === "" ? [] : (this.#index?.search(words) ?? []).slice(0, SHOWN_MAX);
    this.#chosen = 0;
    const options = this.#found.map(({ heading, title }, i) => {
      const option = optionOf(heading, heading === title ? "" : title);
      option.id = `docs-found-${i}`;
      option.addEventListener("mousedown", () => this.#go(i));
      return option;
    });
    const isSearching = this.#index !== undefined && words !== "";
    if (isSearching && options.length === 0) options.push(optionOf("Nothing was found.", ""));
    this.#list.replaceChildren(...options);
    this.#count.textContent = isSearching ? `${this.#found.length} found` : "";
    this.#open(options.length > 0);
    this.#mark();
  }

  #onKey(event: KeyboardEvent): void {
    if (event.key === "Escape") {
      this.#close();
      return;
    }
    if (event.key === "Enter") {
      this.#go(this.#chosen);
      return;
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || this.#found.length === 0) return;
    event.preventDefault();
    this.#chosen = (this.#chosen + step + this.#found.length) % this.#found.length;
    this.#mark();
  }

  #mark(): void {
    for (const [i, option] of [...this.#list.children].entries()) {
      option.setAttribute("aria-selected", String(i === this.#chosen && this.#found.length > 0));
      if (i === this.#chosen) option.scrollIntoView({ block: "nearest" });
    }
    if (this.#found.length > 0) {
      this.#input.setAttribute("aria-activedescendant", `docs-found-${this.#chosen}`);
    } else this.#input.removeAttribute("aria-activedescendant");
  }

  #go(i: number): void {
    const href = this.#found[i]?.id;
    if (href !== undefined) location.assign(href);
  }

  #open(isOpen: boolean): void {
    this.#list.hidden = !isOpen;
    this.#input.setAttribute("aria-expanded", String(isOpen));
  }

  #close(): void {
    this.#open(false);
  }
}

function optionOf(text: string, where: string): HTMLElement {
  const option = document.createElement("li");
  option.setAttribute("role", "option");
  option.append(text);
  if (where !== "") {
    const place = document.createElement("span");
    place.className = "where";
    place.append(where);
    option.append(place);
  }
  return option;
}
