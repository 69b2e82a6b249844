/**
 * Ctrl+Enter, or Cmd+Enter, anywhere in the page, and Enter in a line of the composer, as long as
 * the screen is there.
 */

import { useLayoutEffect, useRef } from "preact/hooks";

/** See the file's head. */
export function useRunKey(run: () => void): void {
  const latest = useRef(run);
  latest.current = run;
  // Effects run after painting: keys that are pressed as soon as the screen is seen would be lost.
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== "Enter") return;
      const isRun = event.ctrlKey || event.metaKey || isComposerLine(event.target);
      // The JSON editor has taken it already where it has the focus.
      if (!isRun || event.defaultPrevented) return;
      event.preventDefault();
      latest.current();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
}

/** A line to type in that belongs to no form of its own, where Enter does something else. */
function isComposerLine(target: EventTarget | null): boolean {
  const isLine = target instanceof HTMLInputElement && target.type === "text";
  return isLine && target.form === null && target.closest(".composer") !== null;
}
