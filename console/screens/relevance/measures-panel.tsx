/** Both rankings measured over all saved queries. */

import type { JSX } from "preact";
import { useTask } from "../../state/use-task.ts";
import { Button } from "../../ui/button.tsx";
import { TaskNote } from "../../ui/task-note.tsx";
import { shownMeasure } from "./measure-words.tsx";
import { formWords, type RankingForm, type VectorChoice } from "./ranking-form.ts";
import { CUT, type Measures } from "./ranking-measures.ts";
import { type MeasuredRanking, measureRanking } from "./run-ranking.ts";
import { type JudgedQuery, measurable, type SavedJudgments } from "./saved-judgments.ts";

/** What both rankings have reached, and by which forms and queries. */
interface Compared {
  readonly queries: readonly JudgedQuery[];
  readonly forms: readonly [RankingForm, RankingForm];
  readonly a: MeasuredRanking;
  readonly b: MeasuredRanking | undefined;
}

/** See the file's head. */
export function MeasuresPanel(props: {
  readonly namespace: string;
  readonly vectors: readonly VectorChoice[];
  readonly a: RankingForm;
  readonly b: RankingForm;
  readonly saved: SavedJudgments;
}): JSX.Element {
  const { namespace, vectors, a, b, saved } = props;
  const task = useTask<Compared>();
  const queries = measurable(saved);
  const none = queries.length === 0 ? noQueriesText : undefined;
  const measure = () =>
    task.start(async ({ api, signal, tell, show }) => {
      const place = { api, namespace, vectors, signal };
      const total = 2 * queries.length;
      const told = (before: number) => (done: number) =>
        tell(`Measured ${before + done} of ${total} rankings`, (before + done) / total);
      const first = await measureRanking(place, a, queries, told(0));
      const forms = [a, b] as const;
      show({ queries, forms, a: first, b: undefined });
      const second = await measureRanking(place, b, queries, told(queries.length));
      return { queries, forms, a: first, b: second };
    });
  return (
    <section class="panel" aria-labelledby="measures-title">
      <header class="panel-head">
        <h2 id="measures-title">Measures over saved queries</h2>
        <Button denied={none} isBusy={task.step !== undefined} onClick={measure}>
          Measure both
        </Button>
      </header>
      <TaskNote task={task} />
      {task.value === undefined ? (
        <p class="muted">
          nDCG@{CUT}, MRR and MAP of A and B over all saved queries with something relevant. What is
          not judged counts as not relevant.
        </p>
      ) : (
        <MeasuresTable compared={task.value} />
      )}
    </section>
  );
}

/** Why nothing can be measured yet. */
export const noQueriesText = "no saved query has a relevant document yet";

function MeasuresTable({ compared }: { readonly compared: Compared }): JSX.Element {
  const { queries, forms, a, b } = compared;
  return (
    <>
      <table class="figures" aria-label="Measures of both rankings">
        <thead>
          <tr>
            <th scope="col">Ranking</th>
            <th scope="col">nDCG@{CUT}</th>
            <th scope="col">MRR</th>
            <th scope="col">MAP</th>
            <th scope="col">Queries</th>
          </tr>
        </thead>
        <tbody>
          <MeanRow name={`A: ${formWords(forms[0])}`} mean={a.mean} count={queries.length} />
          {b !== undefined && (
            <MeanRow name={`B: ${formWords(forms[1])}`} mean={b.mean} count={queries.length} />
          )}
        </tbody>
      </table>
      {b !== undefined && (
        <details>
          <summary>Query by query</summary>
          <table class="figures" aria-label="Measures query by query">
            <thead>
              <tr>
                <th scope="col">Query</th>
                <th scope="col">nDCG@{CUT} A</th>
                <th scope="col">nDCG@{CUT} B</th>
                <th scope="col">B − A</th>
              </tr>
            </thead>
            <tbody>
              {byDifference(queries, a, b).map(({ query, before, after }) => (
                <tr key={query.id}>
                  <th scope="row">{query.text || `like document ${query.like}`}</th>
                  <td>{shownMeasure(before)}</td>
                  <td>{shownMeasure(after)}</td>
                  <td>{signed(after - before)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      )}
    </>
  );
}

function MeanRow(props: {
  readonly name: string;
  readonly mean: Measures | undefined;
  readonly count: number;
}): JSX.Element {
  const { name, mean, count } = props;
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{shownMeasure(mean?.ndcg)}</td>
      <td>{shownMeasure(mean?.reciprocalRank)}</td>
      <td>{shownMeasure(mean?.averagePrecision)}</td>
      <td>{count}</td>
    </tr>
  );
}

/** Where B lost the most comes first. */
function byDifference(queries: readonly JudgedQuery[], a: MeasuredRanking, b: MeasuredRanking) {
  return queries
    .map((query, i) => ({ query, before: a.byQuery[i].ndcg, after: b.byQuery[i].ndcg }))
    .sort((x, y) => x.after - x.before - (y.after - y.before));
}

function signed(difference: number): string {
  const digits = Math.abs(difference).toFixed(3);
  if (Number(digits) === 0) return digits;
  return `${difference < 0 ? "−" : "+"}${digits}`;
}
