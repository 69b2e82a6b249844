/** Explain: how a query is answered, what it costs, and what would change that. */

import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { NamespaceMetadata } from "../../api/namespaces.ts";
import { ComposeColumn } from "../../composer/compose-column.tsx";
import { keptQuery } from "../../composer/kept-draft.ts";
import { QueryDraft, type TextFault } from "../../composer/query-draft.ts";
import { useRunKey } from "../../composer/use-run-key.ts";
import { errorPlace } from "../../query/error-place.ts";
import type { Json } from "../../query/json-value.ts";
import { readRequestSchema } from "../../query/request-schema.ts";
import { currentRoute, routePath, setParameters } from "../../state/route.ts";
import { client, denial } from "../../state/session.ts";
import { useMetadata } from "../../state/use-metadata.ts";
import { Button } from "../../ui/button.tsx";
import { MetadataNote } from "../../ui/metadata-note.tsx";
import { EmptyState, ErrorNote, Spinner } from "../../ui/notes.tsx";
import { type ExplainMode, ExplainRun, type ExplainState } from "./explain-run.ts";
import "./explain.css";
import { PlanView } from "./plan-view.tsx";

/** The screen. */
export function ExplainScreen(): JSX.Element {
  const namespace = currentRoute.value.namespace ?? "";
  const metadata = useMetadata(namespace);
  if (metadata.value !== undefined) {
    return <Explain namespace={namespace} metadata={metadata.value} />;
  }
  return (
    <div class="screen">
      <h1>Explain</h1>
      <MetadataNote metadata={metadata} />
    </div>
  );
}

interface ExplainProps {
  readonly namespace: string;
  readonly metadata: NamespaceMetadata;
}

function Explain({ namespace, metadata }: ExplainProps): JSX.Element {
  const schema = metadata.schema as Json;
  const { parameters } = currentRoute.value;
  const draft = useMemo(
    () => new QueryDraft(readRequestSchema(schema), keptQuery(namespace, parameters)),
    [namespace],
  );
  const run = useMemo(() => new ExplainRun(() => client.peek(), namespace), [namespace]);
  const state = run.state.value;
  const start = (mode: ExplainMode) => {
    const body = draft.body.peek();
    if (body === undefined || draft.problems.peek().size > 0) return;
    setParameters({ ran: mode }, { replace: true });
    void run.run(body, mode);
  };
  useRunKey(() => start("measure"));
  useEffect(() => {
    const mode = parameters.get("ran");
    // Emptying the cache is never done by a link.
    if (mode !== null) start(mode === "plan" ? "plan" : "measure");
    return () => run.stop();
  }, [run]);
  return (
    <div class="screen explain-screen">
      <header class="screen-head">
        <h1>Explain</h1>
        <span class="screen-space" />
        <a
          class="button button-quiet"
          href={routePath("query", namespace, { q: parameters.get("q") ?? "" })}
        >
          Query
        </a>
        <span class="run-key">Ctrl+Enter</span>
        <ModeButtons
          namespace={namespace}
          draft={draft}
          state={state}
          onRun={start}
          onStop={() => run.stop()}
        />
      </header>
      <div class="query-columns">
        <ComposeColumn
          namespace={namespace}
          draft={draft}
          serverFault={serverFault(state, draft)}
          onRun={() => start("measure")}
        />
        <section class="results" aria-label="Explanation" aria-busy={state.kind === "running"}>
          <h2 class="visually-hidden">Explanation</h2>
          <Content
            state={state}
            draft={draft}
            metadata={metadata}
            onRetry={() => start("measure")}
          />
        </section>
      </div>
    </div>
  );
}

function ModeButtons(props: {
  readonly namespace: string;
  readonly draft: QueryDraft;
  readonly state: ExplainState;
  readonly onRun: (mode: ExplainMode) => void;
  readonly onStop: () => void;
}): JSX.Element {
  const { namespace, draft, state, onRun, onStop } = props;
  const [problem] = draft.problems.value.values();
  const fault = draft.fault.value;
  const denied = fault === undefined ? problem : `the JSON has a fault: ${fault.message}`;
  const isBusy = state.kind === "running";
  return (
    <>
      {isBusy && <Button onClick={onStop}>Stop</Button>}
      <Button denied={denied} isBusy={isBusy} onClick={() => onRun("plan")}>
        Plan only
      </Button>
      <Button
        denied={denied ?? denial("write", namespace)}
        isBusy={isBusy}
        onClick={() => onRun("cold")}
      >
        Cold and hot
      </Button>
      <Button look="primary" denied={denied} isBusy={isBusy} onClick={() => onRun("measure")}>
        Run
      </Button>
    </>
  );
}

function Content(props: {
  readonly state: ExplainState;
  readonly draft: QueryDraft;
  readonly metadata: NamespaceMetadata;
  readonly onRetry: () => void;
}): JSX.Element {
  const { state, draft, metadata, onRetry } = props;
  switch (state.kind) {
    case "none":
      return (
        <EmptyState title="Nothing was explained yet">
          Run measures the query on the left; its documents are not returned. Plan only runs
          nothing. Cold and hot empties the cache of this namespace first, for all who use it, and
          then runs the query twice.
        </EmptyState>
      );
    case "running":
      return <Spinner label={state.doing} />;
    case "stopped":
      return <EmptyState title="Stopped">The server was told to end the query.</EmptyState>;
    case "failed":
      return <ErrorNote fault={state.fault} onRetry={onRetry} />;
    case "done":
      return (
        <PlanView
          explained={state.explained}
          schema={draft.schema}
          indexStatus={metadata.index.status}
        />
      );
  }
}

/**
 * Where the server's message is about, while the request is still the one that it was sent. What
 * was sent is compact: its lines are not those shown.
 */
function serverFault(state: ExplainState, draft: QueryDraft): TextFault | undefined {
  if (state.kind !== "failed" || state.body !== draft.body.value) return undefined;
  const { message } = state.fault;
  const place = errorPlace(message, draft.text.value);
  return place === undefined ? undefined : { message, place };
}
