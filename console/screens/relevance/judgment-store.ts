/** Judgments of a namespace as this browser keeps them. */

import { useEffect, useState } from "preact/hooks";
import { readJudgments, type SavedJudgments, writeJudgments } from "./saved-judgments.ts";

/** What is kept, how to change it, and why the last change is not kept. */
export interface JudgmentStore {
  readonly saved: SavedJudgments;
  readonly change: (change: (saved: SavedJudgments) => SavedJudgments) => void;
  readonly fault: string | undefined;
}

/** Judgments of a namespace, the same in all pages of this browser. */
export function useJudgments(namespace: string): JudgmentStore {
  const key = `trawl-judgments:${namespace}`;
  const [state, setState] = useState(() => read(key));
  useEffect(() => {
    setState(read(key));
    const onStorage = (event: StorageEvent) => {
      if (event.key === key) setState(read(key));
    };
    addEventListener("storage", onStorage);
    return () => removeEventListener("storage", onStorage);
  }, [key]);
  const change: JudgmentStore["change"] = (make) => {
    setState(({ saved }) => {
      const next = make(saved);
      return { saved: next, fault: write(key, next) };
    });
  };
  return { ...state, change };
}

function read(key: string): Pick<JudgmentStore, "saved" | "fault"> {
  try {
    const text = localStorage.getItem(key);
    return { saved: text === null ? [] : readJudgments(text), fault: undefined };
  } catch (error) {
    const fault = `what this browser has of judgments cannot be read: ${(error as Error).message}`;
    return { saved: [], fault };
  }
}

function write(key: string, saved: SavedJudgments): string | undefined {
  try {
    localStorage.setItem(key, writeJudgments(saved));
    return undefined;
  } catch (error) {
    return (
      `this browser does not keep the judgments (${(error as Error).message}): ` +
      "export them before you leave the page"
    );
  }
}
