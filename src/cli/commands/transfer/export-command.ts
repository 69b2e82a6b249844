import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { Option } from "commander";
import { countedText, sizeText } from "../../../base/amount-text.ts";
import { durationText } from "../../../base/duration.ts";
import type { ExportResult } from "../../../transfer/export/export-namespace.ts";
import {
  type ExportRequest,
  formatOfName,
  schemaPath,
} from "../../../transfer/export/export-request.ts";
import type { ProgressTask } from "../../output/progress-reporter.ts";
import type { ClientCommand, CommandContext } from "../client-command.ts";
import { EXIT, UsageError } from "../exit-codes.ts";
import { readJsonArgument } from "../read-argument.ts";

interface ExportCommandOptions {
  readonly namespace: string;
  readonly out: string;
  readonly filters?: string;
  readonly vectors: boolean;
  readonly vectorEncoding?: "float" | "base64";
  readonly escapeFormulas?: true;
  readonly live?: true;
  readonly restart?: true;
  readonly overwrite?: true;
}

/** `trawl export`: the documents of a namespace, as they were at one moment, in a file. */
export const exportCommand: ClientCommand = {
  declare: (program) =>
    program
      .command("export")
      .description("write a namespace's documents to a file; continues an interrupted run")
      .requiredOption("--namespace <name>", "which one")
      .requiredOption("--out <file>", "name.jsonl, .csv or .parquet; the first two also with .gz")
      .option("--filters <json>", "only documents that match; @file reads a file")
      .option("--no-vectors", "leave vectors out")
      .addOption(
        new Option(
          "--vector-encoding <float|base64>",
          "vectors in JSONL and CSV (default: float)",
        ).choices(["float", "base64"]),
      )
      .option("--escape-formulas", "in CSV, an ' before texts that spreadsheets would run")
      .option("--live", "read the namespace itself, which a key that may only read can do")
      .option("--restart", "forget an export to this file that was cut off, and start again")
      .option("--overwrite", "replace the file if it is there"),
  run: async (context, { options }) => {
    const { client, clock, random, output, signal, progress } = context;
    const given = options as unknown as ExportCommandOptions;
    const request = await requestOf(given, context);
    const { discardExport, exportNamespace } = await import(
      "../../../transfer/export/export-namespace.ts"
    );
    if (given.restart) await discardExport(request.out, { client, signal });
    const startedMs = clock.monotonicMs();
    let task: ProgressTask | undefined;
    try {
      const exported = await exportNamespace(request, {
        client,
        clock,
        random,
        signal,
        onBegin: ({ rows: done, found: { total } }) => {
          if (done > 0) progress.note(`going on after ${countedText(done, "document")}`);
          const label = `exporting ${request.namespace}`;
          task = progress.start({ label, unit: "document", total, done });
        },
        onConvert: ({ rows: total }) => {
          task = progress.start({ label: "writing Parquet", unit: "document", total });
        },
        onRows: (count) => task?.advance(count),
      });
      task?.end();
      const ms = clock.monotonicMs() - startedMs;
      const { rows, bytes } = exported;
      output.result({ rows, bytes, seconds: Math.round(ms) / 1000 }, () => {
        const amount = `${countedText(rows, "document")}, ${sizeText(bytes)}`;
        const hint = schemaHint(given.out, exported);
        return `exported ${amount} to ${given.out} in ${durationText(ms)}\n${hint}`;
      });
      return EXIT.done;
    } finally {
      task?.end();
      if (signal.aborted)
        progress.note("the same command continues from here; --restart starts again");
    }
  },
};

/** What an import needs beside the file, so that all types come back. */
function schemaHint(out: string, { distanceMetric }: ExportResult): string {
  const metric = distanceMetric === undefined ? "" : `; distance metric: ${distanceMetric}`;
  return `its schema is in ${schemaPath(out)}${metric}`;
}

async function requestOf(
  options: ExportCommandOptions,
  { client, terminal }: CommandContext,
): Promise<ExportRequest> {
  const form = formatOfName(options.out);
  if (form === undefined) {
    throw new UsageError(
      `--out: ${options.out} tells no form; end it with .jsonl, .csv or .parquet, the first two ` +
        "perhaps followed by .gz",
    );
  }
  const isParquet = form.format === "parquet";
  if (options.vectorEncoding !== undefined && (isParquet || !options.vectors)) {
    const why = isParquet ? "Parquet holds vectors as numbers" : "--no-vectors leaves them out";
    throw new UsageError(`--vector-encoding has no effect: ${why}`);
  }
  if (options.escapeFormulas && form.format !== "csv") {
    throw new UsageError("--escape-formulas has no effect: only in CSV are texts run as formulas");
  }
  const out = resolve(options.out);
  await checkOut(options, out);
  const { filters } = options;
  return {
    url: client.url,
    namespace: options.namespace,
    out,
    ...form,
    filters: filters === undefined ? null : await readJsonArgument(filters, "--filters", terminal),
    vectors: options.vectors ? (options.vectorEncoding ?? "float") : "none",
    ...(options.escapeFormulas && { escapesFormulas: true as const }),
    snapshot: options.live !== true,
  };
}

/** A file that is there is replaced only if that was said, or if an export to it was cut off. */
async function checkOut(options: ExportCommandOptions, out: string): Promise<void> {
  const exists = (path: string) =>
    stat(path).then(
      () => true,
      () => false,
    );
  const { statePath } = await import("../../../transfer/export/export-state.ts");
  const isReplaced = options.overwrite === true || !(await exists(out));
  if (isReplaced || (await exists(statePath(out)))) return;
  throw new UsageError(`--out: ${options.out} is there already; choose another, or --overwrite it`);
}
