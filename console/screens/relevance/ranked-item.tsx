/** One document of a ranking, to be graded by click or key. */

import type { JSX } from "preact";
import type { DocumentRow } from "../../api/documents.ts";
import { GRADE_WORDS, GRADES_OFFERED } from "./saved-judgments.ts";

/** See the file's head. */
export function RankedItem(props: {
  readonly row: DocumentRow;
  readonly rank: number;
  /** Attributes, the title first. */
  readonly shown: readonly string[];
  /** How it moved, for the eye and in words. */
  readonly sign: string | undefined;
  readonly words: string;
  readonly grade: number | undefined;
  /** Undefined takes the grade back. */
  readonly onGrade: (grade: number | undefined) => void;
  /** Goes to the next document, or the one before. */
  readonly onStep: (step: number) => void;
}): JSX.Element {
  const { row, rank, shown, sign, words, grade, onGrade, onStep } = props;
  const [title = String(row.id), text = ""] = shown.map((name) => textOf(row[name]));
  const distance = typeof row.$dist === "number" ? row.$dist.toPrecision(4) : "";
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
    const key = GRADES_OFFERED.find((each) => String(each) === event.key);
    if (step !== undefined) onStep(step);
    else if (key !== undefined) onGrade(key);
    else if (event.key === "Backspace") onGrade(undefined);
    else return;
    event.preventDefault();
  };
  return (
    <li class="ranked-item" tabIndex={0} onKeyDown={onKeyDown} aria-keyshortcuts="0 1 2 3">
      <span class="rank">{rank}</span>
      <span class="ranked-text">
        <span class="ranked-title" title={title || String(row.id)}>
          {title || String(row.id)}
        </span>
        <span class="muted ranked-line" title={text}>
          <code>{String(row.id)}</code> {distance} {text}
        </span>
      </span>
      {sign !== undefined && (
        <span class={`move-sign ${SIGN_CLASSES[sign[0]] ?? ""}`} aria-hidden="true">
          {sign}
        </span>
      )}
      <span class="visually-hidden">{words}</span>
      <span class="grades" role="group" aria-label="Grade">
        {GRADES_OFFERED.map((each) => (
          <button
            key={each}
            type="button"
            tabIndex={-1}
            class="grade"
            aria-pressed={grade === each}
            aria-label={`${each}: ${GRADE_WORDS[each]}`}
            title={GRADE_WORDS[each]}
            onClick={() => onGrade(grade === each ? undefined : each)}
          >
            {each}
          </button>
        ))}
        {grade !== undefined && !GRADES_OFFERED.some((each) => each === grade) && (
          <span class="muted">{grade}</span>
        )}
      </span>
    </li>
  );
}

const SIGN_CLASSES: Readonly<Record<string, string>> = { "▲": "move-up", "▼": "move-down" };
/** More does not fit a line. */
const TEXT_CHARS_MAX = 300;

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return String(value).slice(0, TEXT_CHARS_MAX);
}
