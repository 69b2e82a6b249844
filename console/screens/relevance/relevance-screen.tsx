/** The screen that compares two rankings of a namespace, and measures both by a person's judgments. */

import type { JSX } from "preact";
import { currentRoute, setParameters } from "../../state/route.ts";
import { useDraft } from "../../state/use-draft.ts";
import { useMetadata } from "../../state/use-metadata.ts";
import { Button } from "../../ui/button.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { MetadataNote } from "../../ui/metadata-note.tsx";
import { EmptyState, ErrorNote } from "../../ui/notes.tsx";
import { GridPanel } from "./grid-panel.tsx";
import { type JudgmentStore, useJudgments } from "./judgment-store.ts";
import { JudgmentsPanel } from "./judgments-panel.tsx";
import { MeasuresPanel } from "./measures-panel.tsx";
import { choicesOf, type NamespaceChoices } from "./namespace-choices.ts";
import { RankedLists } from "./ranked-lists.tsx";
import { RankingEditor } from "./ranking-editor.tsx";
import { firstForm, type RankingForm, readForm, secondForm } from "./ranking-form.ts";
import { RecallPanel } from "./recall-panel.tsx";
import "./relevance.css";
import { idJson } from "./run-ranking.ts";
import type { QueryInput } from "./saved-judgments.ts";

/** Lengths of the lists that are offered; the first is what is shown at the start. */
const LIMITS = ["10", "20", "50"] as const;

/** Two rankings beside each other. */
export function RelevanceScreen(): JSX.Element {
  return (
    <>
      <div class="screen-head">
        <h1>Relevance</h1>
        <span class="muted">Two rankings of the same query, and how good each is.</span>
      </div>
      <Content />
    </>
  );
}

function Content(): JSX.Element {
  const namespace = currentRoute.value.namespace ?? "";
  const metadata = useMetadata(namespace);
  if (metadata.value === undefined) return <MetadataNote metadata={metadata} />;
  const choices = choicesOf(metadata.value);
  const first = firstForm(choices.texts, choices.vectors);
  const second = secondForm(choices.texts, choices.vectors);
  if (first === undefined || second === undefined) {
    return (
      <EmptyState title="There is nothing to rank by">
        {namespace} has no attribute with full_text_search and no vector attribute with ann. Turn
        one on in the schema, or import documents that have vectors.
      </EmptyState>
    );
  }
  const idType = metadata.value.schema.id?.type ?? "string";
  return <Comparison {...{ namespace, choices, idType }} forms={[first, second]} />;
}

interface ComparisonProps {
  readonly namespace: string;
  readonly choices: NamespaceChoices;
  readonly idType: string;
  /** What is compared where the address says nothing. */
  readonly forms: readonly [RankingForm, RankingForm];
}

function Comparison({ namespace, choices, idType, forms }: ComparisonProps): JSX.Element {
  const { parameters } = currentRoute.value;
  const store = useJudgments(namespace);
  const a = readForm(parameters.get("a") ?? undefined) ?? forms[0];
  const b = readForm(parameters.get("b") ?? undefined) ?? forms[1];
  const limit = Number(LIMITS.find((each) => each === parameters.get("top")) ?? LIMITS[0]);
  const query = queryOf(parameters, idType);
  const setForm = (side: "a" | "b", form: RankingForm) =>
    setParameters({ [side]: JSON.stringify(form) }, { replace: true });
  return (
    <>
      <QueryBar {...{ idType, limit }} hasVectors={choices.vectors.length > 0} />
      <div class="rankings">
        <RankingEditor
          name="A"
          form={a}
          choices={choices}
          onChange={(form) => setForm("a", form)}
        />
        <RankingEditor
          name="B"
          form={b}
          choices={choices}
          onChange={(form) => setForm("b", form)}
        />
      </div>
      {query === undefined ? (
        <FirstQuery hasSaved={store.saved.length > 0} />
      ) : (
        <RankedLists {...{ namespace, choices, a, b, query, limit, store }} />
      )}
      {store.fault !== undefined && <ErrorNote fault={{ message: store.fault }} />}
      <Panels {...{ namespace, choices, a, b, store }} onUse={(form) => setForm("b", form)} />
    </>
  );
}

function Panels(props: {
  readonly namespace: string;
  readonly choices: NamespaceChoices;
  readonly a: RankingForm;
  readonly b: RankingForm;
  readonly store: JudgmentStore;
  readonly onUse: (form: RankingForm) => void;
}): JSX.Element {
  const { namespace, choices, a, b, store, onUse } = props;
  const { vectors } = choices;
  return (
    <>
      <JudgmentsPanel namespace={namespace} store={store} />
      <MeasuresPanel {...{ namespace, vectors, a, b }} saved={store.saved} />
      <GridPanel {...{ namespace, vectors, a, b, onUse }} saved={store.saved} />
      {vectors.length > 0 && <RecallPanel namespace={namespace} filters={choices.filters} />}
    </>
  );
}

function QueryBar(props: {
  readonly idType: string;
  readonly limit: number;
  readonly hasVectors: boolean;
}): JSX.Element {
  const { parameters } = currentRoute.value;
  const text = parameters.get("q") ?? "";
  const like = parameters.get("like") ?? "";
  const [draft, setDraft] = useDraft({ text, like });
  const likeFault =
    draft.like.trim() !== "" && idJson(draft.like, props.idType) === undefined
      ? "ids of this namespace are whole numbers"
      : undefined;
  return (
    <form
      class="bar query-bar"
      onSubmit={(event) => {
        event.preventDefault();
        if (likeFault !== undefined) return;
        setParameters({ q: draft.text.trim(), like: draft.like.trim() });
      }}
    >
      <TextField
        label="Query"
        type="search"
        value={draft.text}
        placeholder="What somebody would search for"
        onInput={(value) => setDraft({ ...draft, text: value })}
      />
      {props.hasVectors && (
        <TextField
          label="Vector of document (id)"
          value={draft.like}
          placeholder="none: the text is embedded"
          error={likeFault}
          onInput={(value) => setDraft({ ...draft, like: value })}
        />
      )}
      <SelectField
        label="Results each"
        value={String(props.limit)}
        choices={LIMITS.map((value) => ({ value, text: value }))}
        onSelect={(value) => setParameters({ top: value }, { replace: true })}
      />
      <Button type="submit" look="primary">
        Run
      </Button>
    </form>
  );
}

function FirstQuery({ hasSaved }: { readonly hasSaved: boolean }): JSX.Element {
  return (
    <EmptyState title="Ask a query to compare both rankings">
      {hasSaved
        ? "Write one above and run it, or open one of the saved queries below."
        : "Write one above and run it. Grade what is found from 0 to 3; your grades are kept in " +
          "this browser, and measure both rankings."}
    </EmptyState>
  );
}

function queryOf(parameters: URLSearchParams, idType: string): QueryInput | undefined {
  const text = parameters.get("q") ?? "";
  const like = idJson(parameters.get("like") ?? "", idType);
  if (text === "" && like === undefined) return undefined;
  return like === undefined ? { text } : { text, like };
}
