/** What a page of the documentation does beside being read: copying code, its look, search. */

import { systemClock } from "../../src/base/clock.ts";

const THEME_KEY = "trawl-theme";
const COPIED_MS = 1500;

applyTheme();
for (const block of document.querySelectorAll<HTMLElement>(".code")) addCopyButton(block);
prepareSearch();

/** The look is shared with the console. */
function applyTheme(): void {
  const select = document.querySelector<HTMLSelectElement>("#docs-theme");
  if (select === null) return;
  select.value = stored() ?? "system";
  document.documentElement.dataset.theme = select.value;
  select.addEventListener("change", () => {
    document.documentElement.dataset.theme = select.value;
    try {
      localStorage.setItem(THEME_KEY, select.value);
    } catch {
      // It holds for this page then.
    }
  });
  select.closest("label")?.removeAttribute("hidden");
}

function stored(): string | null {
  try {
    return localStorage.getItem(THEME_KEY);
  } catch {
    return null;
  }
}

function addCopyButton(block: HTMLElement): void {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", () => {
    const text = block.querySelector("code")?.textContent ?? "";
    const done = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error("no clipboard"));
    const say = async (said: string) => {
      button.textContent = said;
      await systemClock.sleep(COPIED_MS);
      button.textContent = "Copy";
    };
    done.then(
      () => void say("Copied"),
      () => void say("Not allowed here"),
    );
  });
  block.append(button);
}

/** The index is loaded when search is used; `/` goes to it. */
function prepareSearch(): void {
  const input = document.querySelector<HTMLInputElement>("#docs-search");
  const box = input?.closest<HTMLElement>(".search");
  if (!input || !box) return;
  box.hidden = false;
  let begun = false;
  input.addEventListener("focus", () => {
    if (begun) return;
    begun = true;
    void import("./docs-search.ts").then(({ startSearch }) => startSearch(input));
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof HTMLElement && event.target.matches("input, select");
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    input.focus();
  });
}
