/** The screen that imports files: dropped, looked at, corrected, sent. */

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { countedText, sizeText } from "../../../src/base/amount-text.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { nameFault } from "../../api/reachable-name.ts";
import { currentRoute, routePath, setParameters } from "../../state/route.ts";
import { denial, sessionKey } from "../../state/session.ts";
import { announce } from "../../ui/announce.tsx";
import { Button } from "../../ui/button.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { ErrorNote, Progress, Spinner } from "../../ui/notes.tsx";
import { FileDrop } from "./file-drop.tsx";
import {
  type ColumnDraft,
  type ImportDraft,
  MEANING_MODEL,
  withCorrection,
} from "./import-draft.ts";
import { doneShare, endText, type ImportView, progressText } from "./import-view.ts";
import { RejectedRows } from "./rejected-rows.tsx";
import { SchemaTable } from "./schema-table.tsx";
import { suggestedNamespace } from "./suggested-namespace.ts";
import { useImport } from "./use-import.ts";
import "./import.css";

/** How long a name is not typed on before the server is asked about it. */
const TYPING_MS = 300;

const METRICS = [
  { value: "cosine_distance", text: "Cosine" },
  { value: "euclidean_squared", text: "Euclidean, squared" },
] as const;
type Metric = (typeof METRICS)[number]["value"];

/** The screen. */
export function ImportScreen(): JSX.Element {
  const thread = useImport();
  const view = thread.view.value;
  const [metric, setMetric] = useState<Metric>("cosine_distance");
  const namespace = currentRoute.value.parameters.get("namespace") ?? "";
  const key = sessionKey.value;
  const hasFiles = view.files.length > 0;
  const isRunning = view.phase === "running";
  const isAimed = view.target?.namespace === namespace && view.target.key === key;
  useEffect(() => {
    if (isAimed || isRunning) return;
    const typing = new AbortController();
    systemClock.sleep(TYPING_MS, typing.signal).then(
      () => thread.aim({ namespace, key }),
      () => {},
    );
    return () => typing.abort();
  }, [isAimed, isRunning, namespace, key]);
  useEffect(() => {
    if (view.end !== undefined) announce(endText(view.end));
  }, [view.end]);
  const retry = hasFiles ? { onRetry: () => thread.aim({ namespace, key }) } : {};
  return (
    <div class="import">
      <div class="screen-head">
        <h1>Import</h1>
        <p class="muted">Rows of files become documents; files are read here, piece by piece.</p>
      </div>
      <FileDrop
        onFiles={(files) => {
          // Whoever came without a name gets one to change; one that was typed stays.
          const name = namespace === "" ? suggestedNamespace(files[0]?.name ?? "") : namespace;
          setParameters({ namespace: name }, { replace: true });
          thread.open(files, { namespace: name, key });
        }}
        denied={isRunning ? "An import is running; stop it before another one." : undefined}
      />
      {view.phase === "opening" && <Spinner label="Looking at the files" />}
      {view.fault !== undefined && <ErrorNote fault={{ message: view.fault }} {...retry} />}
      {hasFiles && (
        <>
          <FileList view={view} />
          <Target view={view} metric={metric} onMetric={setMetric} />
          {!isRunning && <Schema view={view} onCorrect={(draft) => thread.correct(draft)} />}
          <Run
            view={view}
            namespace={namespace}
            isCurrent={isAimed && view.phase === "planned"}
            onStart={(goesOn) => thread.start({ distanceMetric: metric, goesOn })}
            onStop={() => thread.stop()}
          />
        </>
      )}
      {view.rejected.length > 0 && (
        <RejectedRows
          first={view.rejected}
          count={view.progress?.counts.rejected ?? view.rejected.length}
          all={view.end?.rejects}
        />
      )}
    </div>
  );
}

function FileList({ view }: { readonly view: ImportView }): JSX.Element {
  return (
    <ul class="import-files" aria-label="Files">
      {view.files.map(({ name, format, sizeBytes }) => (
        <li key={name}>
          <code>{name}</code>
          <span class="muted">
            {" "}
            {format}, {sizeText(sizeBytes)}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Target(props: {
  readonly view: ImportView;
  readonly metric: Metric;
  readonly onMetric: (metric: Metric) => void;
}): JSX.Element {
  const { view, metric, onMetric } = props;
  const namespace = currentRoute.value.parameters.get("namespace") ?? "";
  const isNew = view.exists === false;
  const hint =
    view.exists === undefined
      ? "Where the rows go; it is made if there is none."
      : isNew
        ? "There is none of this name: it will be made."
        : "It is there: documents are written by their ids, others stay.";
  return (
    <div class="bar">
      <TextField
        label="Namespace"
        value={namespace}
        hint={hint}
        onInput={(value) => setParameters({ namespace: value }, { replace: true })}
      />
      {view.planned?.plan?.hasVectors === true && isNew && (
        <SelectField
          label="Distance metric"
          value={metric}
          choices={METRICS}
          onSelect={onMetric}
          hint="Of its vectors; it cannot be changed later."
        />
      )}
    </div>
  );
}

function Schema(props: {
  readonly view: ImportView;
  readonly onCorrect: (draft: ImportDraft) => void;
}): JSX.Element | null {
  const { view, onCorrect } = props;
  const { draft = { columns: {} }, planned } = view;
  if (planned === undefined) return null;
  const change = (source: string, column: ColumnDraft) =>
    onCorrect({
      ...draft,
      columns: { ...draft.columns, [source]: { ...draft.columns[source], ...column } },
    });
  const ids = [
    ...planned.sources.map((source) => ({ value: source, text: source })),
    { value: "@row", text: "numbers of the rows" },
  ];
  return (
    <>
      <div class="bar">
        <SelectField
          label="Ids from"
          value={draft.idColumn ?? planned.idColumn}
          choices={ids}
          onSelect={(idColumn) => onCorrect({ ...draft, idColumn })}
          hint={
            planned.idColumn === "@row"
              ? "No column of ids: rows are numbered from 1."
              : `Ids of type ${planned.idType ?? "unknown"}; to import twice changes nothing.`
          }
        />
      </div>
      {planned.fault !== undefined && <ErrorNote fault={{ message: planned.fault }} />}
      {planned.columns.some(({ isFixed }) => isFixed) && (
        <p class="muted">Attributes that the namespace has keep the types that they have.</p>
      )}
      <p class="muted">
        <strong>Full text</strong> has a column searched by its words, and{" "}
        <strong>By meaning</strong> by what it says in other words: {MEANING_MODEL} makes vectors of
        it in the server (English, at most four columns). Both at once make hybrid search.
      </p>
      <SchemaTable
        columns={planned.columns.map((column) =>
          withCorrection(column, draft.columns[column.source]),
        )}
        onChange={change}
      />
    </>
  );
}

function Run(props: {
  readonly view: ImportView;
  readonly namespace: string;
  /** The plan is the one for this namespace with all corrections. */
  readonly isCurrent: boolean;
  readonly onStart: (goesOn: boolean) => void;
  readonly onStop: () => void;
}): JSX.Element {
  const { view, namespace, isCurrent, onStart, onStop } = props;
  const { progress, end, phase, waiting } = view;
  const isRunning = phase === "running";
  const isBroken = end?.reason === "stopped" || end?.reason === "failed";
  const mayGoOn = isBroken && end.namespace === namespace;
  const denied = denialOf(view, namespace);
  const startable = { denied, isBusy: denied === undefined && !isCurrent };
  return (
    <section class="import-run" aria-label="Run">
      <div class="bar">
        {isRunning ? (
          <Button look="danger" onClick={onStop}>
            Stop
          </Button>
        ) : (
          <Button look="primary" {...startable} onClick={() => onStart(false)}>
            {end === undefined ? "Import" : "Import again"}
          </Button>
        )}
        {mayGoOn && !isRunning && (
          <Button {...startable} onClick={() => onStart(true)}>
            Go on
          </Button>
        )}
        {!isRunning && denied !== undefined && <span class="muted">{denied}</span>}
      </div>
      {isRunning && progress === undefined && <Spinner label="Sending the first rows" />}
      {isRunning && progress !== undefined && (
        <Progress label={progressText(progress, waiting)} value={doneShare(progress)} />
      )}
      {isRunning && waiting !== undefined && <p class="note note-wait">{waiting}</p>}
      {!isRunning && end !== undefined && <End end={end} />}
    </section>
  );
}

function End({ end }: { readonly end: NonNullable<ImportView["end"]> }): JSX.Element {
  const { namespace } = end;
  const text = endText(end);
  const note = useRef<HTMLDivElement>(null);
  // The schema may fill the window: how it ended would be below, where nobody looks.
  useEffect(() => note.current?.scrollIntoView({ block: "nearest" }), []);
  if (end.reason !== "done") return <ErrorNote fault={{ message: text }} />;
  return (
    <div class="note note-good" ref={note}>
      <p>{text}</p>
      <p class="import-next">
        <a href={routePath("query", namespace)}>Search in {namespace}</a>
        <a href={routePath("documents", namespace)}>Look at the documents of {namespace}</a>
      </p>
    </div>
  );
}

/** Why nothing can be imported now; undefined: it can. */
function denialOf(view: ImportView, namespace: string): string | undefined {
  if (namespace === "") return "Name the namespace first.";
  const fault = nameFault(namespace);
  if (fault !== undefined) return fault;
  const denied = denial("write", namespace) ?? denial("read", namespace);
  if (denied !== undefined) return `${denied}.`;
  if (view.planned === undefined) return view.fault ?? "The files are still looked at.";
  if (view.planned.plan !== undefined) return undefined;
  const faults = view.planned.columns.filter(({ fault }) => fault !== undefined).length;
  return faults === 0
    ? "See what is said above."
    : `See what is said of ${countedText(faults, "column")} above.`;
}
