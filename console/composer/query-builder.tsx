/** The controls of a whole query, by its kind. */

import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { newRanking, type QueryModel, type Ranking } from "../query/query-model.ts";
import { type RequestSchema, sparseAttributes } from "../query/request-schema.ts";
import { withTypedText } from "../query/typed-text.ts";
import { Button } from "../ui/button.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { AggregateEditor } from "./aggregate-editor.tsx";
import { AnswerOptions } from "./answer-options.tsx";
import "./composer.css";
import { type EditorProps, FieldProblem } from "./editor-props.tsx";
import { FilterEditor } from "./filter-editor.tsx";
import type { QueryDraft } from "./query-draft.ts";
import { RankingEditor } from "./ranking-editor.tsx";
import { RerankOptions } from "./rerank-options.tsx";

/** Kinds of queries as people choose them. */
type QueryKind = Ranking["kind"] | "hybrid" | "aggregate";

const KIND_TEXTS: Readonly<Record<QueryKind, string>> = {
  text: "Words",
  vector: "Vector",
  hybrid: "Hybrid",
  sparse: "Sparse",
  order: "Order",
  aggregate: "Count and sum",
};

const NO_PROBLEMS: ReadonlyMap<string, string> = new Map();

/** The builder of a draft, or why it cannot show the request. */
export function QueryBuilder({ draft }: { readonly draft: QueryDraft }): JSX.Element {
  const model = draft.model.value;
  const former = useRef(new Map<Ranking["kind"], Ranking>());
  for (const { ranking } of model?.rankings ?? []) former.current.set(ranking.kind, ranking);
  if (model === undefined) {
    return (
      <div class="note" role="status">
        <p class="note-text">{draft.reason.value}</p>
        <p class="note-facts">It runs as it is in the JSON. To build another one:</p>
        <Button onClick={() => draft.reset()}>Begin anew</Button>
      </div>
    );
  }
  const own = {
    value: model,
    onChange: (changed: QueryModel) => draft.editModel(changed),
    schema: draft.schema,
    problems: draft.isUntouched.value ? NO_PROBLEMS : draft.problems.value,
    place: "",
  };
  const kind = kindOf(model);
  const rankingOf = (each: Ranking["kind"]) =>
    withTypedText(former.current.get(each) ?? newRanking(each, draft.schema), [
      ...model.rankings.map(({ ranking }) => ranking),
      ...former.current.values(),
    ]);
  return (
    <div class="composer">
      <fieldset class="kinds">
        <legend class="visually-hidden">Kind of query</legend>
        {kindsOf(draft.schema, kind).map((each) => (
          <Button
            key={each}
            look="quiet"
            isPressed={each === kind}
            onClick={() => each !== kind && draft.editModel(ofKind(model, each, rankingOf))}
          >
            {KIND_TEXTS[each]}
          </Button>
        ))}
      </fieldset>
      {kind === "aggregate" ? <AggregateEditor {...own} /> : <Rankings {...own} />}
      <section class="composer-part" aria-label="Filter">
        <h2>Filter</h2>
        <FilterEditor
          {...own}
          value={model.filter}
          place="filter"
          onChange={(filter) => draft.editModel({ ...model, filter })}
        />
      </section>
      {kind !== "aggregate" && <RerankOptions {...own} />}
      <AnswerOptions {...own} />
    </div>
  );
}

function Rankings(props: EditorProps<QueryModel>): JSX.Element {
  const { value: model, onChange, schema } = props;
  const isHybrid = model.rankings.length > 1;
  const setRanking = (i: number, ranking: Ranking) =>
    onChange({ ...model, rankings: model.rankings.with(i, { ...model.rankings[i], ranking }) });
  if (!isHybrid) {
    return (
      <section class="composer-part" aria-label="Ranking">
        <RankingEditor
          {...props}
          value={model.rankings[0].ranking}
          place="rankings.0"
          onChange={(ranking) => setRanking(0, ranking)}
        />
      </section>
    );
  }
  return (
    <>
      {model.rankings.map(({ ranking }, i) => (
        <section class="composer-part" key={i} aria-label={`Ranking ${i + 1}`}>
          <RankingHead {...props} index={i} />
          <RankingEditor
            {...props}
            value={ranking}
            place={`rankings.${i}`}
            onChange={(changed) => setRanking(i, changed)}
          />
        </section>
      ))}
      <FusionOptions {...props} />
      <Button
        look="quiet"
        onClick={() => {
          const added = { ranking: newRanking("text", schema), weight: "1" };
          onChange({ ...model, rankings: [...model.rankings, added] });
        }}
      >
        + Ranking
      </Button>
      <FieldProblem text={props.problems.get("rankings")} />
    </>
  );
}

function RankingHead(props: EditorProps<QueryModel> & { readonly index: number }): JSX.Element {
  const { value: model, onChange, schema, problems, index } = props;
  const weighted = model.rankings[index];
  const replace = (changed: Partial<typeof weighted>) =>
    onChange({ ...model, rankings: model.rankings.with(index, { ...weighted, ...changed }) });
  return (
    <div class="composer-row composer-row-end">
      <SelectField
        label={`Ranking ${index + 1}`}
        value={weighted.ranking.kind}
        choices={rankingKinds(schema, weighted.ranking.kind).map((kind) => ({
          value: kind,
          text: KIND_TEXTS[kind],
        }))}
        onSelect={(kind) => {
          const others = model.rankings.map(({ ranking }) => ranking);
          replace({ ranking: withTypedText(newRanking(kind, schema), others) });
        }}
      />
      {!model.rerank.isOn && (
        <TextField
          label="Weight"
          value={weighted.weight}
          error={problems.get(`rankings.${index}.weight`)}
          onInput={(weight) => replace({ weight })}
        />
      )}
      <Button
        look="quiet"
        label={`Remove ranking ${index + 1}`}
        denied={
          model.rankings.length === 2 ? "a hybrid query has at least two rankings" : undefined
        }
        onClick={() => onChange({ ...model, rankings: model.rankings.toSpliced(index, 1) })}
      >
        ✕
      </Button>
    </div>
  );
}

/** Of all rankings together; ranks are not fused where a model scores what they found. */
function FusionOptions(props: EditorProps<QueryModel>): JSX.Element {
  const { value: model, onChange, problems } = props;
  return (
    <section class="composer-part" aria-label="Fusion">
      <div class="composer-row">
        <TextField
          label="Found by each"
          value={model.candidates}
          error={problems.get("candidates")}
          onInput={(candidates) => onChange({ ...model, candidates })}
        />
        {!model.rerank.isOn && (
          <TextField
            label="Rank constant"
            value={model.rankConstant}
            hint="of the fusion (RRF): score is weight / (constant + rank)"
            error={problems.get("rankConstant")}
            onInput={(rankConstant) => onChange({ ...model, rankConstant })}
          />
        )}
      </div>
    </section>
  );
}

function kindOf(model: QueryModel): QueryKind {
  if (model.form === "aggregate") return "aggregate";
  return model.rankings.length > 1 ? "hybrid" : model.rankings[0].ranking.kind;
}

/** Kinds of rankings that the schema allows, and the one that there is. */
function rankingKinds(schema: RequestSchema, current?: QueryKind): Ranking["kind"][] {
  const kinds: Ranking["kind"][] = ["text", "vector", "sparse", "order"];
  const allowed = {
    text: true,
    vector: true,
    sparse: sparseAttributes(schema).length > 0,
    order: true,
  };
  return kinds.filter((kind) => allowed[kind] || kind === current);
}

function kindsOf(schema: RequestSchema, current: QueryKind): QueryKind[] {
  const [text, vector, ...further] = rankingKinds(schema, current);
  return [text, vector, "hybrid", ...further, "aggregate"];
}

/** The query as one of another kind; what was typed for that kind before is there again. */
function ofKind(
  model: QueryModel,
  kind: QueryKind,
  rankingOf: (kind: Ranking["kind"]) => Ranking,
): QueryModel {
  if (kind === "aggregate") return { ...model, form: "aggregate" };
  const kinds: readonly Ranking["kind"][] = kind === "hybrid" ? ["text", "vector"] : [kind];
  const rankings = kinds.map((each) => ({ ranking: rankingOf(each), weight: "1" }));
  return { ...model, form: "documents", rankings, ...(kind === "hybrid" && { offset: "0" }) };
}
