import { Option } from "commander";
import { apiPath } from "../../client/api-client.ts";
import { runOperation } from "../../client/operations.ts";
import { RESULT_ROWS_MAX } from "../../model/contract-limits.ts";
import { pairsText } from "../output/table-text.ts";
import type { ClientCommand } from "./client-command.ts";
import { countOption } from "./count-option.ts";
import { EXIT } from "./exit-codes.ts";
import { readJsonArgument } from "./read-argument.ts";

/** Samples of one measurement, as the server bounds them. */
const SAMPLES_MAX = 10_000;

interface RecallOptions {
  readonly num?: number;
  readonly topK?: number;
  readonly filter?: string;
}

interface RecallAnswer {
  readonly avg_recall: number;
  readonly avg_exhaustive_count: number;
  readonly avg_ann_count: number;
}

/** `trawl recall <namespace>`: what approximate vector searches find of what exact ones do. */
export const recallCommand: ClientCommand = {
  declare: (program) =>
    program
      .command("recall")
      .description("measure what ANN searches find, with stored vectors as queries")
      .argument("<namespace>", "which one")
      .addOption(
        new Option("--num <number>", "how many stored vectors (default: 25)").argParser(
          countOption("--num", { min: 1, max: SAMPLES_MAX }),
        ),
      )
      .addOption(
        new Option("--top-k <number>", "neighbours of each (default: 10)").argParser(
          countOption("--top-k", { min: 1, max: RESULT_ROWS_MAX }),
        ),
      )
      .option("--filter <json>", "only among documents that match"),
  run: async ({ client, clock, output, terminal, signal }, { words, options }) => {
    const [namespace = ""] = words;
    const { num, topK, filter } = options as RecallOptions;
    const members = [
      ...(num === undefined ? [] : [`"num":${num}`]),
      ...(topK === undefined ? [] : [`"top_k":${topK}`]),
      ...(filter === undefined
        ? []
        : [`"filters":${await readJsonArgument(filter, "--filter", terminal)}`]),
    ];
    const answer = await runOperation<RecallAnswer>(
      client,
      {
        method: "POST",
        path: apiPath("v1", "namespaces", namespace, "_debug", "recall"),
        body: `{${members.join(",")}}`,
        headers: { "content-type": "application/json" },
        repeatable: true,
        signal,
      },
      { clock, namespace },
    );
    output.result(answer, () => recallText(answer, topK ?? 10));
    return EXIT.done;
  },
};

function recallText(answer: RecallAnswer, topK: number): string {
  return pairsText([
    [`recall@${topK}`, answer.avg_recall.toFixed(4)],
    ["found by exact searches", String(answer.avg_exhaustive_count)],
    ["found by ANN searches", String(answer.avg_ann_count)],
  ]);
}
