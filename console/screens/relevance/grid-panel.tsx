/** A hybrid ranking at each weight, measured over the saved queries. */

import type { JSX } from "preact";
import { useTask } from "../../state/use-task.ts";
import { Button } from "../../ui/button.tsx";
import { TaskNote } from "../../ui/task-note.tsx";
import { shownMeasure } from "./measure-words.tsx";
import { noQueriesText } from "./measures-panel.tsx";
import { formWords, hybridWeights, type RankingForm, type VectorChoice } from "./ranking-form.ts";
import { CUT } from "./ranking-measures.ts";
import { type GridPoint, measureGrid } from "./run-ranking.ts";
import { measurable, type SavedJudgments } from "./saved-judgments.ts";

type HybridForm = Extract<RankingForm, { kind: "hybrid" }>;

/** See the file's head. */
export function GridPanel(props: {
  readonly namespace: string;
  readonly vectors: readonly VectorChoice[];
  readonly a: RankingForm;
  readonly b: RankingForm;
  readonly saved: SavedJudgments;
  /** Takes a ranking of the grid as ranking B. */
  readonly onUse: (form: RankingForm) => void;
}): JSX.Element {
  const { namespace, vectors, a, b, saved, onUse } = props;
  const task = useTask<{ readonly form: HybridForm; readonly points: readonly GridPoint[] }>();
  const form = [b, a].find((each) => each.kind === "hybrid");
  const queries = measurable(saved);
  const none =
    form === undefined
      ? "neither ranking is hybrid"
      : queries.length === 0
        ? noQueriesText
        : undefined;
  const measure = () => {
    if (form === undefined) return;
    task.start(async ({ api, signal, tell }) => {
      const place = { api, namespace, vectors, signal };
      const points = await measureGrid(place, form, queries, (done) =>
        tell(`Asked ${done} of ${queries.length} queries`, done / queries.length),
      );
      return { form, points };
    });
  };
  return (
    <section class="panel" aria-labelledby="grid-title">
      <header class="panel-head">
        <h2 id="grid-title">Grid over hybrid weights</h2>
        <Button denied={none} isBusy={task.step !== undefined} onClick={measure}>
          Measure grid
        </Button>
      </header>
      <TaskNote task={task} />
      {task.value === undefined ? (
        <p class="muted">
          Which weights of words and vector are best on the saved queries. Each query is asked once;
          the fusion is done here by the server's rule.
        </p>
      ) : (
        <GridTable {...task.value} onUse={onUse} />
      )}
    </section>
  );
}

function GridTable(props: {
  readonly form: HybridForm;
  readonly points: readonly GridPoint[];
  readonly onUse: (form: RankingForm) => void;
}): JSX.Element {
  const { form, points, onUse } = props;
  const best = Math.max(...points.map(({ mean }) => mean?.ndcg ?? 0));
  return (
    <>
      <p class="muted">{formWords(form)}, at each weight:</p>
      <table class="figures" aria-label="Grid over hybrid weights">
        <thead>
          <tr>
            <th scope="col">Words</th>
            <th scope="col">Vector</th>
            <th scope="col">nDCG@{CUT}</th>
            <th scope="col">MRR</th>
            <th scope="col">MAP</th>
            <th scope="col">Choose</th>
          </tr>
        </thead>
        <tbody>
          {points.map(({ vectorWeight, mean }) => {
            const [words, vector] = hybridWeights(vectorWeight);
            const isBest = mean?.ndcg === best;
            return (
              <tr key={vectorWeight} class={isBest ? "best" : undefined}>
                <td>{words.toFixed(1)}</td>
                <td>{vector.toFixed(1)}</td>
                <td>
                  <meter class="bar-meter" aria-hidden="true" max={1} value={mean?.ndcg ?? 0} />
                  {shownMeasure(mean?.ndcg)}
                  {isBest && " best"}
                </td>
                <td>{shownMeasure(mean?.reciprocalRank)}</td>
                <td>{shownMeasure(mean?.averagePrecision)}</td>
                <td>
                  <Button
                    look="quiet"
                    label={`Use as B: ${words.toFixed(1)} and ${vector.toFixed(1)}`}
                    onClick={() => onUse({ ...form, vectorWeight })}
                  >
                    Use as B
                  </Button>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </>
  );
}
