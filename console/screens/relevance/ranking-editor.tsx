/** The form of one ranking. */

import type { JSX } from "preact";
import { useId } from "preact/hooks";
import { SelectField, TextField } from "../../ui/field.tsx";
import { RANK_CONSTANT } from "./fuse-ranks.ts";
import type { NamespaceChoices } from "./namespace-choices.ts";
import {
  formWords,
  hybridWeights,
  type RankingForm,
  rankingBody,
  type TextClause,
} from "./ranking-form.ts";

type Kind = RankingForm["kind"];

const KIND_WORDS: Readonly<Record<Kind, string>> = {
  words: "Words (BM25)",
  vector: "Vector",
  hybrid: "Hybrid: words and vector",
  json: "JSON",
};

/** Chooses what a ranking is; every change is told at once. */
export function RankingEditor(props: {
  readonly name: "A" | "B";
  readonly form: RankingForm;
  readonly choices: NamespaceChoices;
  readonly onChange: (form: RankingForm) => void;
}): JSX.Element {
  const { name, form, choices, onChange } = props;
  const titleId = useId();
  const kinds = (["words", "vector", "hybrid", "json"] as const).filter((kind) => {
    if (kind === "words") return choices.texts.length > 0;
    if (kind === "vector") return choices.vectors.length > 0;
    return kind === "json" || (choices.texts.length > 0 && choices.vectors.length > 0);
  });
  return (
    <section class="ranking" aria-labelledby={titleId}>
      <header class="ranking-head">
        <h2 id={titleId}>Ranking {name}</h2>
        <span class="muted">{formWords(form)}</span>
      </header>
      <div class="bar">
        <SelectField
          label="Rank by"
          value={form.kind}
          choices={kinds.map((value) => ({ value, text: KIND_WORDS[value] }))}
          onSelect={(kind) => onChange(formOfKind(kind, form, choices))}
        />
        {(form.kind === "vector" || form.kind === "hybrid") && (
          <SelectField
            label="Vector attribute"
            value={form.attribute}
            choices={choices.vectors.map(({ attribute, embeds }) => ({
              value: attribute,
              text: embeds === undefined ? attribute : `${attribute} (of ${embeds})`,
            }))}
            onSelect={(attribute) => onChange({ ...form, attribute })}
          />
        )}
      </div>
      {(form.kind === "words" || form.kind === "hybrid") && (
        <Clauses
          clauses={form.clauses}
          texts={choices.texts}
          onChange={(clauses) => onChange({ ...form, clauses })}
        />
      )}
      {form.kind === "hybrid" && <HybridFields form={form} onChange={onChange} />}
      {form.kind === "json" && (
        <TextField
          label="rank_by or query"
          rows={5}
          isCode
          value={form.text}
          hint='"$query" stands for the text, "$vector" for the vector of the document.'
          error={jsonFault(form, choices)}
          onInput={(text) => onChange({ kind: "json", text })}
        />
      )}
    </section>
  );
}

function Clauses(props: {
  readonly clauses: readonly TextClause[];
  readonly texts: readonly string[];
  readonly onChange: (clauses: readonly TextClause[]) => void;
}): JSX.Element {
  const { clauses, texts, onChange } = props;
  const weightOf = (attribute: string) =>
    clauses.find((clause) => clause.attribute === attribute)?.weight ?? 0;
  const change = (attribute: string, weight: number) =>
    onChange(
      texts
        .map((each) => ({
          attribute: each,
          weight: each === attribute ? weight : weightOf(each),
        }))
        .filter((clause) => clause.weight > 0),
    );
  return (
    <fieldset class="weights">
      <legend class="field-label">Weight of words by attribute (0: not searched)</legend>
      {texts.map((attribute) => (
        <label key={attribute} class="weight">
          <code>{attribute}</code>
          <input
            class="input"
            type="number"
            min="0"
            step="0.1"
            value={weightOf(attribute)}
            onChange={(event) =>
              change(attribute, Math.max(0, event.currentTarget.valueAsNumber || 0))
            }
          />
        </label>
      ))}
    </fieldset>
  );
}

type HybridForm = Extract<RankingForm, { kind: "hybrid" }>;

function HybridFields(props: {
  readonly form: HybridForm;
  readonly onChange: (form: RankingForm) => void;
}): JSX.Element {
  const { form, onChange } = props;
  const [words, vector] = hybridWeights(form.vectorWeight).map((weight) => weight.toFixed(2));
  return (
    <div class="bar">
      <label class="weight weight-wide">
        <span class="field-label">
          Words {words} · vector {vector}
        </span>
        <input
          type="range"
          min="0"
          max="1"
          step="0.05"
          aria-label="Weight of the vector"
          value={form.vectorWeight}
          onInput={(event) => {
            onChange({ ...form, vectorWeight: event.currentTarget.valueAsNumber });
          }}
        />
      </label>
      <label class="weight">
        <span class="field-label">Rank constant</span>
        <input
          class="input"
          type="number"
          min="1"
          step="1"
          value={form.rankConstant}
          onChange={(event) => {
            const rankConstant = Math.max(1, Math.round(event.currentTarget.valueAsNumber || 1));
            onChange({ ...form, rankConstant });
          }}
        />
      </label>
    </div>
  );
}

/** Another kind of ranking, with what it has in common with the one before. */
function formOfKind(kind: Kind, before: RankingForm, choices: NamespaceChoices): RankingForm {
  const clauses =
    "clauses" in before
      ? before.clauses
      : choices.texts.slice(0, 1).map((attribute) => ({ attribute, weight: 1 }));
  const attribute =
    "attribute" in before ? before.attribute : (choices.vectors[0]?.attribute ?? "");
  switch (kind) {
    case "words":
      return { kind, clauses };
    case "vector":
      return { kind, attribute };
    case "hybrid":
      return { kind, clauses, attribute, vectorWeight: 0.5, rankConstant: RANK_CONSTANT };
    case "json":
      return { kind, text: JSON.stringify(templateOf(before, choices), undefined, 1) };
  }
}

/** The ranking before as JSON to go on from. */
function templateOf(before: RankingForm, choices: NamespaceChoices): unknown {
  const query = { text: "$query", vector: before.kind === "vector" ? "$vector" : undefined };
  try {
    const options = { limit: 10, attributes: [], vectors: choices.vectors };
    const { rank_by, queries, rerank_by } = rankingBody(before, query, options);
    return rank_by ?? { queries, rerank_by };
  } catch {
    return [choices.texts[0] ?? "id", "BM25", "$query"];
  }
}

function jsonFault(form: RankingForm, choices: NamespaceChoices): string | undefined {
  try {
    const query = { text: "words", vector: [0] };
    rankingBody(form, query, { limit: 1, attributes: [], vectors: choices.vectors });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
