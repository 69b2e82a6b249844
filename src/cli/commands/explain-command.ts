import { apiPath } from "../../client/api-client.ts";
import type { ClientCommand } from "./client-command.ts";
import { EXIT } from "./exit-codes.ts";
import { declareQuery, queryBody } from "./query-body.ts";

/** `trawl explain <namespace>`: how a query would be answered, and with `--timings` what it cost. */
export const explainCommand: ClientCommand = {
  declare: (program) =>
    declareQuery(program.command("explain").description("show a query's plan")).option(
      "--timings",
      "run the query, too, and show what it cost",
    ),
  run: async ({ client, output, terminal, signal }, call) => {
    const [namespace = ""] = call.words;
    const body = await queryBody(call, terminal);
    const answer = await client.json<{ readonly plan_text: string; readonly analysis?: Analysis }>({
      method: "POST",
      path: apiPath("v2", "namespaces", namespace, "explain_query"),
      body: call.options.timings === true ? withAnalyze(body) : body,
      headers: { "content-type": "application/json" },
      repeatable: true,
      signal,
    });
    output.result(answer, () => `${answer.plan_text.trimEnd()}\n${timeText(answer.analysis)}`);
    return EXIT.done;
  },
};

interface Analysis {
  readonly performance: Readonly<Record<string, number | string>>;
  /** Absent where the server is older. */
  readonly phases?: Readonly<Record<string, number>>;
  readonly steps?: readonly { readonly step: string; readonly ms: number }[];
}

/** Shorter times say nothing to people. */
const SHOWN_MS_MIN = 0.01;

/** Adds the member at the object's start, so that all else stays as it is written. */
function withAnalyze(body: string): string {
  const start = body.indexOf("{") + 1;
  const isEmpty = /^\s*\}/.test(body.slice(start));
  return `${body.slice(0, start)}"analyze":true${isEmpty ? "" : ","}${body.slice(start)}`;
}

function timeText(analysis: Analysis | undefined): string {
  if (analysis === undefined) return "";
  const {
    query_execution_ms: ran,
    server_total_ms: total,
    cache_temperature,
  } = analysis.performance;
  const { phases = {}, steps = [] } = analysis;
  const all = Object.entries(phases).map(([name, ms]) => [name.replace(/_ms$/, ""), ms] as const);
  return [
    `Time: ${ran} ms to run, ${total} ms in all, ${cache_temperature}`,
    ...lineOf("Phases", all, ", "),
    ...lineOf(
      "Steps",
      steps.map(({ step, ms }) => [step, ms] as const),
      "; ",
    ),
  ].join("\n");
}

/** Names with their milliseconds; no line where none is worth telling. */
function lineOf(
  label: string,
  times: readonly (readonly [name: string, ms: number])[],
  separator: string,
): string[] {
  const shown = times
    .filter(([, ms]) => ms >= SHOWN_MS_MIN)
    .map(([name, ms]) => `${name} ${ms.toFixed(2)} ms`);
  return shown.length === 0 ? [] : [`${label}: ${shown.join(separator)}`];
}
