/** How many true neighbours the approximate search finds, at each selectivity. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { stringifyExact } from "../../api/exact-json.ts";
import { useTask } from "../../state/use-task.ts";
import { Button } from "../../ui/button.tsx";
import { SelectField } from "../../ui/field.tsx";
import { TaskNote } from "../../ui/task-note.tsx";
import { measureRecall, type RecallPoint } from "./measure-recall.ts";
import type { FilterChoice } from "./namespace-choices.ts";
import { RecallChart } from "./recall-chart.tsx";
import { shareText } from "./selectivity.ts";

const SAMPLES = ["10", "25", "100"] as const;
const NEIGHBOURS = ["1", "10", "100"] as const;

/** See the file's head. */
export function RecallPanel(props: {
  readonly namespace: string;
  readonly filters: readonly FilterChoice[];
}): JSX.Element {
  const { namespace, filters } = props;
  const [by, setBy] = useState(filters[0]?.attribute ?? "");
  const [samples, setSamples] = useState<string>(SAMPLES[1]);
  const [topK, setTopK] = useState<string>(NEIGHBOURS[1]);
  const task = useTask<readonly RecallPoint[]>();
  const measure = () =>
    task.start(async ({ api, signal, tell, show }) => {
      const points: RecallPoint[] = [];
      const choice = filters.find(({ attribute }) => attribute === by);
      const options = { api, namespace, signal, by: choice, onStep: (step: string) => tell(step) };
      await measureRecall({ ...options, samples: Number(samples), topK: Number(topK) }, (point) => {
        points.push(point);
        show([...points]);
      });
      return points;
    });
  return (
    <section class="panel" aria-labelledby="recall-title">
      <header class="panel-head">
        <h2 id="recall-title">Recall of the vector index</h2>
        <SelectField
          label="Filters on"
          value={by}
          choices={[
            { value: "", text: "no filter" },
            ...filters.map(({ attribute }) => ({ value: attribute, text: attribute })),
          ]}
          onSelect={setBy}
        />
        <SelectField
          label="Neighbours"
          value={topK}
          choices={NEIGHBOURS.map((value) => ({ value, text: value }))}
          onSelect={setTopK}
        />
        <SelectField
          label="Sampled vectors"
          value={samples}
          choices={SAMPLES.map((value) => ({ value, text: value }))}
          onSelect={setSamples}
        />
        <Button isBusy={task.step !== undefined} onClick={measure}>
          Measure recall
        </Button>
      </header>
      <TaskNote task={task} />
      {task.value === undefined ? (
        <p class="muted">
          Stored vectors are taken as queries, and what ANN finds is compared with exact search:
          without a filter, and under filters that let about 50 %, 10 %, 1 % and 0.1 % of the
          documents through.
        </p>
      ) : (
        <div class="recall">
          <RecallTable points={task.value} />
          <RecallChart points={task.value} />
        </div>
      )}
    </section>
  );
}

function RecallTable({ points }: { readonly points: readonly RecallPoint[] }): JSX.Element {
  return (
    <table class="figures" aria-label="Recall by selectivity">
      <thead>
        <tr>
          <th scope="col">Selectivity</th>
          <th scope="col">Documents</th>
          <th scope="col">Recall</th>
          <th scope="col">Found by ANN</th>
          <th scope="col">Exact</th>
          <th scope="col">Filter</th>
        </tr>
      </thead>
      <tbody>
        {points.map(({ share, matching, recall, annCount, exactCount, filter }) => (
          <tr key={stringifyExact(filter ?? null)}>
            <td>{shareText(share)}</td>
            <td>{matching}</td>
            <td>{recall.toFixed(3)}</td>
            <td>{annCount.toFixed(1)}</td>
            <td>{exactCount.toFixed(1)}</td>
            <td>{filter === undefined ? "none" : <code>{stringifyExact(filter)}</code>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
