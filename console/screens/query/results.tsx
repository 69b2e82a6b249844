/** What a query found: as a table, as cards with what matched, as JSON. */

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import type { QueryDraft } from "../../composer/query-draft.ts";
import { parseJsonText } from "../../query/json-source.ts";
import { printJson } from "../../query/print-literal.ts";
import { CodeBlock } from "../../ui/code-block.tsx";
import { SelectField } from "../../ui/field.tsx";
import { EmptyState, ErrorNote, Spinner } from "../../ui/notes.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { performanceText, type ShownResult, shownResults } from "./answer-model.ts";
import type { RunState } from "./query-run.ts";
import { ResultCards } from "./result-cards.tsx";
import { ResultTable } from "./result-table.tsx";

/** Ways to look at results. */
type ResultView = "table" | "cards" | "json";

const VIEWS: readonly { readonly value: ResultView; readonly text: string }[] = [
  { value: "table", text: "Table" },
  { value: "cards", text: "Cards" },
  { value: "json", text: "JSON" },
];

/** The view of that name; the table for any other. */
export function resultView(name: string | null): ResultView {
  return VIEWS.find(({ value }) => value === name)?.value ?? "table";
}

/** What the results have. */
export interface ResultsProps {
  readonly state: RunState;
  readonly draft: QueryDraft;
  readonly view: ResultView;
  readonly onView: (view: ResultView) => void;
  readonly onRetry: () => void;
}

/** See the file's head. */
export function Results(props: ResultsProps): JSX.Element {
  const section = useRef<HTMLElement>(null);
  const isRunning = props.state.kind === "running";
  useEffect(() => {
    // Below the query, as on a phone, nobody would see that something comes.
    const element = section.current;
    const isBelow = (element?.getBoundingClientRect().top ?? 0) > innerHeight / 2;
    if (isRunning && isBelow) element?.scrollIntoView();
  }, [isRunning]);
  return (
    <section ref={section} class="results" aria-label="Results" aria-busy={isRunning}>
      <h2 class="visually-hidden">Results</h2>
      <Content {...props} />
    </section>
  );
}

function Content(props: ResultsProps): ComponentChildren {
  const { state, onRetry } = props;
  switch (state.kind) {
    case "none":
      return (
        <EmptyState title="Nothing was asked yet">
          Compose a query on the left, or write its JSON, and run it with Ctrl+Enter.
        </EmptyState>
      );
    case "running":
      return <Spinner label="Running" />;
    case "stopped":
      return <EmptyState title="Stopped">The server was told to end the query.</EmptyState>;
    case "failed":
      return <ErrorNote fault={state.fault} onRetry={onRetry} />;
    case "done":
      return <Answer {...props} state={state} />;
  }
}

function Answer(
  props: ResultsProps & { readonly state: RunState & { readonly kind: "done" } },
): JSX.Element {
  const { state, view, onView } = props;
  const panelId = useId();
  const [chosen, setChosen] = useState("0");
  const results = useMemo(() => shownResults(state.answer), [state.answer]);
  const result = results[Number(chosen)] ?? results[0];
  return (
    <>
      <div class="results-head">
        <Tabs label="Results as" tabs={VIEWS} value={view} onSelect={onView} panelId={panelId} />
        {results.length > 1 && (
          <SelectField
            label="Result of"
            hidesLabel
            value={chosen}
            choices={results.map(({ title }, i) => ({ value: String(i), text: title ?? "" }))}
            onSelect={setChosen}
          />
        )}
      </div>
      <p class="results-facts" role="status">
        {result !== undefined && `${countText(result)} · `}
        {performanceText(state.answer, state.roundTripMs)}
      </p>
      {state.warning !== undefined && <p class="note note-warn">{state.warning}</p>}
      <div
        id={panelId}
        role="tabpanel"
        aria-label={VIEWS.find(({ value }) => value === view)?.text}
      >
        {view === "json" ? (
          <RawAnswer text={state.text} />
        ) : result === undefined ? undefined : result.rows.length === 0 ? (
          <EmptyState title="Nothing was found">
            No document matches. Fewer filters, or other words, find more.
          </EmptyState>
        ) : view === "cards" ? (
          <ResultCards result={result} draft={props.draft} />
        ) : (
          <ResultTable result={result} draft={props.draft} />
        )}
      </div>
    </>
  );
}

function countText({ rows, isDocuments }: ShownResult): string {
  const many = rows.length.toLocaleString("en-US");
  const what = isDocuments ? "document" : "row";
  return `${many} ${what}${rows.length === 1 ? "" : "s"}`;
}

/** UTF-16 units of an answer that are shown and copied: browsers stall on megabytes in a page. */
const SHOWN_CHARS_MAX = 500_000;

function inLines(text: string): string {
  const value = parseJsonText(text);
  return value === undefined ? text : printJson(value);
}

function RawAnswer({ text }: { readonly text: string }): JSX.Element {
  const isCut = text.length > SHOWN_CHARS_MAX;
  const shown = useMemo(() => (isCut ? text.slice(0, SHOWN_CHARS_MAX) : inLines(text)), [text]);
  return (
    <>
      {isCut && (
        <p class="composer-note">
          The first {SHOWN_CHARS_MAX.toLocaleString("en-US")} of{" "}
          {text.length.toLocaleString("en-US")} characters.
        </p>
      )}
      <CodeBlock label="Answer" code={shown} />
    </>
  );
}
