/** The exact request: as JSON, to read or to edit, and as programs that make it. */

import type { JSX } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import { curlSnippet } from "../query/curl-snippet.ts";
import { goSnippet } from "../query/go-snippet.ts";
import type { JsonMembers } from "../query/json-value.ts";
import { pythonSnippet } from "../query/python-snippet.ts";
import type { RequestPlace } from "../query/request-place.ts";
import { typescriptSnippet } from "../query/typescript-snippet.ts";
import { Button } from "../ui/button.tsx";
import { CodeBlock } from "../ui/code-block.tsx";
import { ErrorNote, Spinner } from "../ui/notes.tsx";
import { Tabs } from "../ui/tabs.tsx";
import type { JsonEditorProps } from "./json-editor.tsx";
import type { QueryDraft, TextFault } from "./query-draft.ts";

/** Views of a request. */
type RequestView = "json" | "curl" | "typescript" | "python" | "go";

const SNIPPETS: Readonly<
  Record<Exclude<RequestView, "json">, (body: JsonMembers, place: RequestPlace) => string>
> = { curl: curlSnippet, typescript: typescriptSnippet, python: pythonSnippet, go: goSnippet };

const VIEWS: readonly { readonly value: RequestView; readonly text: string }[] = [
  { value: "json", text: "JSON" },
  { value: "curl", text: "curl" },
  { value: "typescript", text: "TypeScript" },
  { value: "python", text: "Python" },
  { value: "go", text: "Go" },
];

/** The view of that name; JSON for any other. */
export function requestView(name: string | null): RequestView {
  return VIEWS.find(({ value }) => value === name)?.value ?? "json";
}

/** What the panel has. */
export interface RequestPanelProps {
  readonly draft: QueryDraft;
  readonly place: RequestPlace;
  readonly view: RequestView;
  readonly onView: (view: RequestView) => void;
  /** Of the server's last answer, if it was about this text. */
  readonly serverFault: TextFault | undefined;
  readonly onRun: () => void;
}

/** See the file's head. */
export function RequestPanel(props: RequestPanelProps): JSX.Element {
  const { draft, place, view, onView } = props;
  const panelId = useId();
  const isStale = draft.problems.value.size > 0;
  const body = draft.body.value;
  const text = VIEWS.find(({ value }) => value === view)?.text ?? "";
  return (
    <section class="request" aria-label="Request">
      <Tabs label="Request as" tabs={VIEWS} value={view} onSelect={onView} panelId={panelId} />
      <div id={panelId} role="tabpanel" aria-label={text}>
        {isStale && (
          <p class="composer-note">
            The request is not whole yet:{" "}
            {draft.isUntouched.value ? "say what to look for." : "see what is marked."}
          </p>
        )}
        {view === "json" ? (
          <JsonView {...props} />
        ) : body === undefined ? (
          <p class="composer-note">The JSON has a fault, so there is no program that sends it.</p>
        ) : (
          <CodeBlock label={text} code={SNIPPETS[view](body, place)} />
        )}
      </div>
    </section>
  );
}

function JsonView(props: RequestPanelProps): JSX.Element {
  const { draft, serverFault, onRun } = props;
  const [isEdited, setEdited] = useState(draft.model.peek() === undefined);
  const [isOpened, setOpened] = useState(false);
  const own = draft.fault.value;
  // A fault at a place is marked there, which takes the editor.
  useEffect(() => {
    if (serverFault !== undefined) setEdited(true);
  }, [serverFault?.message]);
  const faults = [own, serverFault].filter((fault) => fault !== undefined);
  return (
    <>
      {isEdited ? (
        <LoadedEditor
          label="Request as JSON"
          text={draft.text}
          schema={draft.schema}
          faults={faults}
          takesFocus={isOpened}
          onChange={(text) => draft.editText(text)}
          onRun={onRun}
        />
      ) : (
        <CodeBlock label="JSON" code={draft.text.value} />
      )}
      {faults.map((fault) => (
        <p key={fault.message} class="field-error">
          {placeText(fault, draft.text.value)}
          {fault.message}
        </p>
      ))}
      <Button
        look="quiet"
        onClick={() => {
          setOpened(!isEdited);
          setEdited(!isEdited);
        }}
      >
        {isEdited ? "Close the editor" : "Edit the JSON"}
      </Button>
    </>
  );
}

/** The editor and what it needs come when it is opened. */
function LoadedEditor(props: JsonEditorProps): JSX.Element {
  const [Editor, setEditor] = useState<(props: JsonEditorProps) => JSX.Element>();
  const [error, setError] = useState<Error>();
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    import("./json-editor.tsx").then(
      ({ JsonEditor }) => setEditor(() => JsonEditor),
      (reason: Error) => setError(reason),
    );
  }, [turn]);
  if (Editor !== undefined) return <Editor {...props} />;
  if (error === undefined) return <Spinner label="Loading the editor" />;
  const message = `The editor could not be loaded: ${error.message}`;
  const retry = () => {
    setError(undefined);
    setTurn(turn + 1);
  };
  return <ErrorNote fault={{ message }} onRetry={retry} />;
}

/** Where a fault is, for who does not see the mark. */
function placeText({ place }: TextFault, text: string): string {
  if (place === undefined) return "";
  const lines = text.slice(0, place.start).split("\n");
  const column = (lines.at(-1)?.length ?? 0) + 1;
  return `Line ${lines.length}, column ${column}: `;
}
