/** Query: a request is composed, run and read. */

import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { systemClock } from "../../../src/base/clock.ts";
import { ComposeColumn } from "../../composer/compose-column.tsx";
import { keptQuery } from "../../composer/kept-draft.ts";
import { QueryDraft, type TextFault } from "../../composer/query-draft.ts";
import { useRunKey } from "../../composer/use-run-key.ts";
import { errorPlace } from "../../query/error-place.ts";
import type { Json } from "../../query/json-value.ts";
import { readRequestSchema } from "../../query/request-schema.ts";
import { currentRoute, routePath, setParameters } from "../../state/route.ts";
import { client } from "../../state/session.ts";
import { useMetadata } from "../../state/use-metadata.ts";
import { Button } from "../../ui/button.tsx";
import { MetadataNote } from "../../ui/metadata-note.tsx";
import { KeptQueries } from "./kept-queries.tsx";
import { QueryRun, type RunState } from "./query-run.ts";
import "./query.css";
import { rememberQuery } from "./query-storage.ts";
import { Results, resultView } from "./results.tsx";

/** The screen. */
export function QueryScreen(): JSX.Element {
  const namespace = currentRoute.value.namespace ?? "";
  const metadata = useMetadata(namespace);
  if (metadata.value !== undefined) {
    return <Query namespace={namespace} schema={metadata.value.schema as Json} />;
  }
  if (metadata.fault?.kind === "forbidden") {
    // Who may query need not be allowed to read the schema: the JSON is there all the same.
    return <Query namespace={namespace} schema={{}} hiddenReason={metadata.fault.message} />;
  }
  return (
    <div class="screen">
      <h1>Query</h1>
      <MetadataNote metadata={metadata} />
    </div>
  );
}

interface QueryProps {
  readonly namespace: string;
  readonly schema: Json;
  /** Why the schema is not known. */
  readonly hiddenReason?: string;
}

function Query({ namespace, schema, hiddenReason }: QueryProps): JSX.Element {
  const { draft, run } = useQuery(namespace, schema);
  const { parameters } = currentRoute.value;
  const state = run.state.value;
  const start = () => {
    if (draft.problems.peek().size > 0 || draft.fault.peek() !== undefined) return;
    const text = draft.text.peek();
    rememberQuery(namespace, { text, atMs: systemClock.nowMs() });
    setParameters({ ran: "1" }, { replace: true });
    void run.run(text);
  };
  useRunKey(start);
  useEffect(() => {
    if (parameters.get("ran") === "1") start();
    return () => run.stop();
  }, [run]);
  return (
    <div class="screen query-screen">
      <header class="screen-head">
        <h1>Query</h1>
        <span class="screen-space" />
        <KeptQueries namespace={namespace} draft={draft} />
        <a
          class="button button-quiet"
          href={routePath("explain", namespace, { q: parameters.get("q") ?? "" })}
        >
          Explain
        </a>
        <span class="run-key">Ctrl+Enter</span>
        <RunButtons state={state} draft={draft} onRun={start} onStop={() => run.stop()} />
      </header>
      <div class="query-columns">
        <ComposeColumn
          namespace={namespace}
          draft={draft}
          serverFault={serverFault(state, draft.text.value)}
          onRun={start}
          hiddenReason={hiddenReason}
        />
        <Results
          state={state}
          draft={draft}
          view={resultView(parameters.get("view"))}
          onView={(view) =>
            setParameters({ view: view === "table" ? undefined : view }, { replace: true })
          }
          onRetry={start}
        />
      </div>
    </div>
  );
}

/** The draft and the run of a namespace, made once for each schema. */
function useQuery(namespace: string, schema: Json) {
  const { parameters } = currentRoute.peek();
  const key = useMemo(() => JSON.stringify(schema), [schema]);
  const draft = useMemo(
    () => new QueryDraft(readRequestSchema(schema), keptQuery(namespace, parameters)),
    [namespace, key],
  );
  const run = useMemo(
    () => new QueryRun({ client: () => client.peek(), namespace, nowMs: systemClock.nowMs }),
    [namespace],
  );
  return { draft, run };
}

function RunButtons(props: {
  readonly state: RunState;
  readonly draft: QueryDraft;
  readonly onRun: () => void;
  readonly onStop: () => void;
}): JSX.Element {
  const { state, draft, onRun, onStop } = props;
  const fault = draft.fault.value;
  const [problem] = draft.problems.value.values();
  return (
    <>
      {state.kind === "running" && <Button onClick={onStop}>Stop</Button>}
      <Button
        look="primary"
        denied={fault === undefined ? problem : `the JSON has a fault: ${fault.message}`}
        isBusy={state.kind === "running"}
        onClick={onRun}
      >
        Run
      </Button>
    </>
  );
}

/** Where the server's message is about, while the text is still the one that it was sent. */
function serverFault(state: RunState, text: string): TextFault | undefined {
  if (state.kind !== "failed" || state.text !== text) return undefined;
  const { message } = state.fault;
  const place = errorPlace(message, text);
  return place === undefined ? undefined : { message, place };
}
