/** A plan as a tree with its times, the phases beside each other, and what follows. */

import type { JSX } from "preact";
import type { RequestSchema } from "../../query/request-schema.ts";
import type { Explained } from "./explain-run.ts";
import { comparedPhases, comparisonText } from "./phase-comparison.ts";
import { planAdvice } from "./plan-advice.ts";
import { type ExplainAnswer, type PlannedQuery, type PlanStep, readPlan } from "./plan-tree.ts";

/** What the view has. */
export interface PlanViewProps {
  readonly explained: Explained;
  readonly schema: RequestSchema;
  readonly indexStatus: "up-to-date" | "updating";
}

/** See the file's head. */
export function PlanView({ explained, schema, indexStatus }: PlanViewProps): JSX.Element {
  const { first, again } = explained;
  const shown = again ?? first;
  return (
    <>
      {first.analysis !== undefined && <Phases explained={explained} />}
      <PlanTreeView title={again === undefined ? "Plan" : "Plan, cold"} answer={first} />
      {again !== undefined && <PlanTreeView title="Plan, hot" answer={again} />}
      <Advice
        sentences={planAdvice({ answer: shown, schema, indexStatus })}
        wasRun={shown.analysis !== undefined}
      />
    </>
  );
}

function Phases({ explained }: { readonly explained: Explained }): JSX.Element {
  const rows = comparedPhases(explained.first.analysis, explained.again?.analysis);
  const isCompared = explained.again !== undefined;
  return (
    <section class="plan-part" aria-label="Time">
      <h3>Time</h3>
      <p class="plan-words">
        {comparisonText(explained.first.analysis, explained.again?.analysis)}
      </p>
      <table class="phases">
        <thead>
          <tr>
            <th scope="col">Phase</th>
            <th scope="col">{isCompared ? "Cold" : "Time"}</th>
            {isCompared && <th scope="col">Hot</th>}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, first, again, share }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>
                <meter class="phase-bar" value={share} aria-hidden="true" />
                {first}
              </td>
              {isCompared && <td>{again}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function PlanTreeView(props: {
  readonly title: string;
  readonly answer: ExplainAnswer;
}): JSX.Element {
  const { title, answer } = props;
  const { fusion, queries, further } = readPlan(answer);
  return (
    <section class="plan-part" aria-label={title}>
      <h3>{title}</h3>
      <p class="composer-note">What is done first stands last.</p>
      {fusion.map((line) => (
        <p key={line} class="plan-line">
          {line}
        </p>
      ))}
      {queries.map((query) => (
        <QueryPlan key={query.title ?? ""} query={query} />
      ))}
      {further.length > 0 && (
        <p class="composer-note">
          {"Beside the plan: "}
          {further.map(({ step, ms }) => `${step} ${shownMs(ms)}`).join(", ")}
        </p>
      )}
    </section>
  );
}

function QueryPlan({ query }: { readonly query: PlannedQuery }): JSX.Element {
  const longest = Math.max(...query.steps.map(({ ms }) => ms ?? 0));
  return (
    <div class="plan-query">
      {query.title !== undefined && <h4>{query.title}</h4>}
      <StepList steps={query.steps} longestMs={longest} />
      {Object.keys(query.work).length > 0 && (
        <p class="composer-note">For several steps together: {workText(query.work)}</p>
      )}
    </div>
  );
}

function StepList(props: {
  readonly steps: readonly PlanStep[];
  readonly longestMs: number;
}): JSX.Element {
  return (
    <ul class="plan-steps">
      {props.steps.map(({ text, parts, ms, isShared, work }, i) => (
        <li key={i}>
          <div class="plan-step">
            <span class="plan-line">{text}</span>
            {ms !== undefined && (
              <span class={ms === props.longestMs ? "plan-ms plan-longest" : "plan-ms"}>
                {shownMs(ms)}
                {isShared && " with those of the other queries"}
              </span>
            )}
          </div>
          {Object.keys(work).length > 0 && <p class="composer-note">{workText(work)}</p>}
          {parts.length > 0 && <StepList steps={parts} longestMs={props.longestMs} />}
        </li>
      ))}
    </ul>
  );
}

function Advice(props: {
  readonly sentences: readonly string[];
  readonly wasRun: boolean;
}): JSX.Element {
  const nothing = props.wasRun
    ? "Nothing stands out: no index or filter is known here that would change much."
    : "Run the query to learn what it costs, and what would change that.";
  return (
    <section class="plan-part" aria-label="Advice">
      <h3>What would change it</h3>
      {props.sentences.length === 0 ? (
        <p class="plan-words">{nothing}</p>
      ) : (
        <ul class="advice">
          {props.sentences.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
    </section>
  );
}

function workText(work: Readonly<Record<string, number>>): string {
  const counts = Object.entries(work).map(
    ([name, count]) => `${count.toLocaleString("en-US")} ${name.replaceAll("_", " ")}`,
  );
  return counts.join(", ");
}

function shownMs(ms: number): string {
  return `${ms.toFixed(ms < 10 ? 2 : 1)} ms`;
}
