import { Option } from "commander";
import { countedText, countText } from "../../base/amount-text.ts";
import { DURATION_FORM, durationText, parseDuration } from "../../base/duration.ts";
import { apiPath } from "../../client/api-client.ts";
import { isClientError } from "../../client/client-error.ts";
import { type NamespaceMetadata, readMetadata } from "../../client/namespaces.ts";
import { runOperation } from "../../client/operations.ts";
import { RESULT_ROWS_MAX } from "../../model/contract-limits.ts";
import { type LatencySummary, summarize } from "../bench/latencies.ts";
import { measureLoad } from "../bench/measure-load.ts";
import { type SampledQueries, sampleQueries } from "../bench/sample-queries.ts";
import { tableText } from "../output/table-text.ts";
import type { ClientCommand, CommandContext } from "./client-command.ts";
import { countOption } from "./count-option.ts";
import { EXIT, UsageError } from "./exit-codes.ts";
import { readJsonArgument } from "./read-argument.ts";

/** Clients at once: as many as there are connections. */
const CLIENTS_MAX = 64;
/** Of the whole measurement. */
const DURATION_MS_MAX = 10 * 60_000;
/** Stored vectors by which recall is measured. */
const RECALL_SAMPLES = 25;

interface BenchOptions {
  readonly duration: number;
  readonly clients: readonly number[];
  readonly topK: number;
  readonly query?: string;
}

/** One line of the report. */
interface BenchRow extends LatencySummary {
  readonly queries: string;
  readonly clients: number;
  readonly per_second: number;
  readonly refused: number;
}

/** `trawl bench <namespace>`: how fast queries of the user's own data are, and what ANN finds. */
export const benchCommand: ClientCommand = {
  declare: (program) =>
    program
      .command("bench")
      .description("measure queries made of a namespace's own documents, and recall")
      .argument("<namespace>", "which one")
      .addOption(
        new Option("--duration <duration>", "of all measurements together")
          .argParser(parseBenchDuration)
          .default(15_000, "15s"),
      )
      .addOption(
        new Option("--clients <numbers>", "how many ask at once, one after the other")
          .argParser(parseClients)
          .default([1, 4, 16], "1,4,16"),
      )
      .addOption(
        new Option("--top-k <number>", "documents of each query")
          .argParser(countOption("--top-k", { min: 1, max: RESULT_ROWS_MAX }))
          .default(10),
      )
      .option("--query <json>", "measure this body instead; @file reads a file"),
  run: async (context, { words, options }) => {
    const [namespace = ""] = words;
    const { client, output, signal } = context;
    const given = options as unknown as BenchOptions;
    const metadata = await readMetadata(client, namespace, signal);
    const kinds = await kindsOf(given, { context, namespace, metadata });
    const rows = await measureAll(given, { context, namespace, kinds });
    const recall = await recallOf(namespace, metadata, context);
    const report = { namespace, documents: metadata.approx_row_count, measured: rows, recall };
    output.result(report, () => reportText(rows, { metadata, recall, topK: given.topK }));
    return EXIT.done;
  },
};

async function kindsOf(
  { query, topK }: BenchOptions,
  { context, namespace, metadata }: BenchTarget & { readonly metadata: NamespaceMetadata },
): Promise<SampledQueries[]> {
  const { client, terminal, random, signal } = context;
  if (query !== undefined) {
    return [{ name: "--query", bodies: [await readJsonArgument(query, "--query", terminal)] }];
  }
  return sampleQueries(client, { namespace, metadata, topK, random, signal });
}

interface BenchTarget {
  readonly context: CommandContext;
  readonly namespace: string;
}

/** Measures each kind with each number of clients, each for its share of the time. */
async function measureAll(
  { duration, clients: clientCounts }: BenchOptions,
  { context, namespace, kinds }: BenchTarget & { readonly kinds: readonly SampledQueries[] },
): Promise<BenchRow[]> {
  const { client, clock, progress, signal } = context;
  const path = apiPath("v2", "namespaces", namespace, "query");
  const headers = { "content-type": "application/json" };
  const durationMs = duration / (kinds.length * clientCounts.length);
  const rows: BenchRow[] = [];
  for (const { name, bodies } of kinds) {
    for (const clients of clientCounts) {
      const label = `${name}, ${countedText(clients, "client")}`;
      const task = progress.start({ label, unit: "query", units: "queries" });
      const ask = async (index: number) => {
        const body = bodies[index % bodies.length];
        const request = { method: "POST", path, body, headers, once: true, signal } as const;
        try {
          await (await client.send(request)).bytes();
          task.advance(1);
          return true;
        } catch (error) {
          if (isClientError(error, 429)) return false;
          throw error;
        }
      };
      try {
        const result = await measureLoad({ clients, durationMs, ask, clock, signal });
        const { latenciesMs, refused, elapsedMs } = result;
        const per_second = elapsedMs > 0 ? (1000 * latenciesMs.length) / elapsedMs : 0;
        rows.push({ queries: name, clients, per_second, ...summarize(latenciesMs), refused });
      } finally {
        task.end();
      }
    }
  }
  return rows;
}

/** Recall of ANN searches; undefined where there are no dense vectors. */
async function recallOf(
  namespace: string,
  { schema }: NamespaceMetadata,
  { client, clock, signal }: CommandContext,
): Promise<number | undefined> {
  const types = Object.values(schema as Readonly<Record<string, { readonly type: string }>>);
  if (!types.some(({ type }) => /^\[\d+\]/.test(type))) return undefined;
  const path = apiPath("v1", "namespaces", namespace, "_debug", "recall");
  const json = { num: RECALL_SAMPLES };
  const request = { method: "POST", path, json, repeatable: true, signal } as const;
  const answer = await runOperation<{ avg_recall: number }>(client, request, { clock, namespace });
  return answer.avg_recall;
}

function reportText(
  rows: readonly BenchRow[],
  found: {
    readonly metadata: NamespaceMetadata;
    readonly recall: number | undefined;
    readonly topK: number;
  },
): string {
  const right = (title: string) => ({ title, align: "right" as const });
  const titles = ["CLIENTS", "QUERIES/S", "P50", "P95", "P99", "MAX", "REFUSED"];
  const cells = rows.map((row) => [
    row.queries,
    String(row.clients),
    row.per_second < 100 ? row.per_second.toFixed(1) : countText(Math.round(row.per_second)),
    ...[row.p50, row.p95, row.p99, row.max].map(durationText),
    countText(row.refused),
  ]);
  const { recall } = found;
  const documents = countedText(found.metadata.approx_row_count, "document");
  return (
    `${tableText([{ title: "QUERIES" }, ...titles.map(right)], cells)}` +
    `${documents}, ${found.topK} of them for each query; times are a client's, network included\n` +
    (recall === undefined ? "" : `recall@10 of ANN: ${recall.toFixed(4)}`)
  );
}

function parseBenchDuration(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms > 0 && ms <= DURATION_MS_MAX) return ms;
  throw new UsageError(`--duration: ${text} is not ${DURATION_FORM}, of at most 10m`);
}

function parseClients(text: string): number[] {
  const parse = countOption("--clients", { min: 1, max: CLIENTS_MAX });
  return text.split(",").map((part) => parse(part.trim()));
}
