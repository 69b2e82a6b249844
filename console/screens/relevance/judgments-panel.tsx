/** The saved queries of a namespace: opened, removed, exported and imported. */

import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { parseExact } from "../../api/exact-json.ts";
import { setParameters } from "../../state/route.ts";
import { announce } from "../../ui/announce.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/notes.tsx";
import type { JudgmentStore } from "./judgment-store.ts";
import { readJudgmentFile, writeQrels } from "./qrels.ts";
import {
  type JudgedQuery,
  type SavedJudgments,
  withoutQuery,
  writeJudgments,
} from "./saved-judgments.ts";

/** See the file's head. */
export function JudgmentsPanel(props: {
  readonly namespace: string;
  readonly store: JudgmentStore;
}): JSX.Element {
  const { saved, change } = props.store;
  const [fault, setFault] = useState<string | undefined>(undefined);
  return (
    <section class="panel" aria-labelledby="judgments-title">
      <header class="panel-head">
        <h2 id="judgments-title">Saved judgments</h2>
        <span class="muted">{summaryOf(saved)}</span>
        <Exports namespace={props.namespace} saved={saved} onFault={setFault} />
        <Import store={props.store} onFault={setFault} />
      </header>
      {fault !== undefined && <ErrorNote fault={{ message: fault }} />}
      {saved.length === 0 ? (
        <p class="muted">
          Grades are kept in this browser. Import takes TREC qrels, texts of queries (an id, a tab
          and the text in a line), or the JSON that is exported here.
        </p>
      ) : (
        <ul class="saved-queries" aria-label="Saved queries">
          {saved.map((query) => (
            <SavedQuery
              key={query.id}
              query={query}
              onRemove={() => change((before) => withoutQuery(before, query.id))}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

type OnFault = (fault: string | undefined) => void;

/** Tells why something could not be done; what could takes the last reason away. */
function attempt(work: () => void, onFault: OnFault): void {
  try {
    work();
    onFault(undefined);
  } catch (error) {
    onFault((error as Error).message);
  }
}

function Exports(props: {
  readonly namespace: string;
  readonly saved: SavedJudgments;
  readonly onFault: OnFault;
}): JSX.Element {
  const { namespace, saved, onFault } = props;
  const none = saved.length === 0 ? "there are no judgments yet" : undefined;
  const save = (name: string, type: string, write: (saved: SavedJudgments) => string) =>
    attempt(() => download(name, type, write(saved)), onFault);
  return (
    <>
      <Button denied={none} onClick={() => save(`${namespace}.qrels`, "text/plain", writeQrels)}>
        Export qrels
      </Button>
      <Button
        denied={none}
        onClick={() => save(`${namespace}.judgments.json`, "application/json", writeJudgments)}
      >
        Export JSON
      </Button>
    </>
  );
}

function Import(props: { readonly store: JudgmentStore; readonly onFault: OnFault }): JSX.Element {
  const { store, onFault } = props;
  const input = useRef<HTMLInputElement>(null);
  const latest = useRef(store);
  latest.current = store;
  const importFiles = async (files: readonly File[]) => {
    for (const file of files) {
      const text = await file.text();
      attempt(() => {
        const { saved, change } = latest.current;
        // Whether the file can be read is known before anything is changed.
        const read = readJudgmentFile(saved, text);
        change((before) => readJudgmentFile(before, text));
        announce(`${file.name} is read: ${read.length} queries now`);
      }, onFault);
    }
  };
  return (
    <>
      <Button onClick={() => input.current?.click()}>Import judgments</Button>
      <input
        ref={input}
        class="visually-hidden"
        type="file"
        multiple
        tabIndex={-1}
        aria-label="Files of judgments"
        accept=".json,.qrels,.txt,.tsv"
        onChange={(event) => {
          const files = [...(event.currentTarget.files ?? [])];
          // Clears the list of files, so before more can be chosen.
          event.currentTarget.value = "";
          void importFiles(files);
        }}
      />
    </>
  );
}

function SavedQuery(props: {
  readonly query: JudgedQuery;
  readonly onRemove: () => void;
}): JSX.Element {
  const { id, text, like, grades } = props.query;
  const all = Object.values(grades);
  const relevant = all.filter((grade) => grade > 0).length;
  const name = text !== "" ? text : like === undefined ? `query ${id}` : `like document ${like}`;
  return (
    <li class="saved-query">
      {text === "" && like === undefined ? (
        <span class="muted">{name}: its text is not known; import it</span>
      ) : (
        <button
          type="button"
          class="link"
          onClick={() => setParameters({ q: text, like: like && String(parseExact(like)) })}
        >
          {name}
        </button>
      )}
      <span class="muted">
        {all.length} judged, {relevant} relevant
      </span>
      <button
        type="button"
        class="button button-quiet"
        aria-label={`Remove ${name}`}
        onClick={props.onRemove}
      >
        ✕
      </button>
    </li>
  );
}

function summaryOf(saved: SavedJudgments): string {
  const grades = saved.reduce((sum, query) => sum + Object.keys(query.grades).length, 0);
  const queries = saved.length === 1 ? "1 query" : `${saved.length} queries`;
  return `${queries}, ${grades} grades`;
}

/** Hands a file to the browser's downloads. */
function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
