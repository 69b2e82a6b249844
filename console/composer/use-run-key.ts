/** Ctrl+Enter, or Cmd+Enter, anywhere in the page, as long as the screen is there. */

import { useEffect, useRef } from "preact/hooks";

/** See the file's head. */
export function useRunKey(run: () => void): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isRun = event.key === "Enter" && (event.ctrlKey || event.metaKey);
      // The JSON editor has taken it already where it has the focus.
      if (!isRun || event.defaultPrevented) return;
      event.preventDefault();
      latest.current();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
}
