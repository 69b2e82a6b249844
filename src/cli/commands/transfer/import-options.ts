/** What `trawl import` was told, checked. */

import { readFileSync } from "node:fs";
import { type Command, Option } from "commander";
import { FILE_FORMATS, type FileFormat } from "../../../transfer/read/file-format.ts";
import type { CommandCall } from "../client-command.ts";
import { UsageError } from "../exit-codes.ts";

/** Metrics of vectors, as the API spells them. */
const DISTANCE_METRICS = ["cosine_distance", "euclidean_squared"];

/** See the file's head. */
export interface ImportOptions {
  readonly files: readonly string[];
  readonly namespace: string;
  readonly format: FileFormat | undefined;
  readonly idColumn: string | undefined;
  readonly vectorColumn: string | undefined;
  /** Nested values are taken apart. */
  readonly flattens: boolean;
  readonly renames: ReadonlyMap<string, string | undefined>;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly distanceMetric: string;
  readonly rejectsPath: string | undefined;
  /** Rows that may be rejected. */
  readonly rejectedMax: number;
  readonly statePath: string | undefined;
  readonly restarts: boolean;
  readonly isDryRun: boolean;
}

/** Adds the command with its options. */
export function declareImport(program: Command): Command {
  const collect = (value: string, before: readonly string[] = []) => [...before, value];
  return program
    .command("import")
    .description("write the rows of files into a namespace")
    .argument("<file...>", "files, patterns in quotes, or - for standard input")
    .requiredOption("--namespace <name>", "the namespace, which is made if there is none")
    .addOption(
      new Option("--format <format>", "where name and first bytes do not tell").choices(
        FILE_FORMATS,
      ),
    )
    .option("--id <column>", "the ids (default: id or _id, else @row: numbers of the rows)")
    .option("--vector <column>", "the vectors; becomes the attribute vector")
    .option("--map <old=new>", "rename a column; --map old= leaves it out; repeatable", collect)
    .option("--flatten", "members of objects and structs become attributes, as author.name")
    .option("--schema <json>", "attributes' types and options, as JSON or in a file")
    .addOption(
      new Option("--distance-metric <metric>", "of vectors in a new namespace")
        .choices(DISTANCE_METRICS)
        .default(DISTANCE_METRICS[0]),
    )
    .option("--rejects <file>", "go on without bad rows, and write them to this file")
    .option("--max-errors <n>", "bad rows before the run ends (default: 0; any with --rejects)")
    .option("--state <file>", "where to remember how far it is (default: beside the first file)")
    .option("--restart", "start again instead of continuing an interrupted run")
    .option("--dry-run", "show what would become of each column, and write nothing")
    .addHelpText(
      "after",
      "\nReads JSON Lines, JSON arrays, CSV, TSV, Parquet and Arrow, plain, gzip or zstd." +
        "\nThe same command continues an interrupted run." +
        "\nEnds with 3 if rows were rejected, with 130 if it was interrupted.",
    );
}

/** Reads what was given. Throws `UsageError`. */
export function parseImportOptions({ words, options }: CommandCall): ImportOptions {
  const text = (name: string) => options[name] as string | undefined;
  const rejectsPath = text("rejects");
  const files = (words as readonly unknown[]).flat() as string[];
  if (rejectsPath !== undefined && files.includes(rejectsPath)) {
    throw new UsageError(
      `--rejects: ${rejectsPath} is a file that is to be read; name another one`,
    );
  }
  return {
    files,
    namespace: text("namespace") ?? "",
    format: options.format as FileFormat | undefined,
    idColumn: text("id"),
    vectorColumn: text("vector"),
    flattens: options.flatten === true,
    renames: parseRenames((options.map as readonly string[] | undefined) ?? []),
    schema: parseSchema(text("schema")),
    distanceMetric: text("distanceMetric") ?? DISTANCE_METRICS[0],
    rejectsPath,
    rejectedMax: parseMaxErrors(text("maxErrors"), rejectsPath !== undefined),
    statePath: text("state"),
    restarts: options.restart === true,
    isDryRun: options.dryRun === true,
  };
}

function parseRenames(pairs: readonly string[]): Map<string, string | undefined> {
  const renames = new Map<string, string | undefined>();
  for (const pair of pairs) {
    // Columns may have the sign in their names, attributes hardly do.
    const at = pair.lastIndexOf("=");
    if (at <= 0)
      throw new UsageError(`--map: ${pair} is not of the form old=new, or old= to leave out`);
    const from = pair.slice(0, at);
    if (renames.has(from)) throw new UsageError(`--map: ${from} is renamed twice`);
    renames.set(from, pair.slice(at + 1) === "" ? undefined : pair.slice(at + 1));
  }
  return renames;
}

function parseSchema(given: string | undefined): Record<string, unknown> {
  if (given === undefined) return {};
  const isFile = !given.trimStart().startsWith("{");
  let schema: unknown;
  try {
    schema = JSON.parse(isFile ? readFileSync(given, "utf8") : given);
  } catch (error) {
    const what = isFile ? `the file ${given}` : "the JSON";
    throw new UsageError(`--schema: ${what} cannot be read: ${(error as Error).message}`);
  }
  if (typeof schema === "object" && schema !== null && !Array.isArray(schema)) {
    return schema as Record<string, unknown>;
  }
  throw new UsageError('--schema must be an object, as {"title": {"type": "string"}}');
}

function parseMaxErrors(given: string | undefined, hasRejects: boolean): number {
  if (given === undefined) return hasRejects ? Number.POSITIVE_INFINITY : 0;
  if (/^\d{1,15}$/.test(given)) return Number(given);
  throw new UsageError(`--max-errors: ${given} is no whole number from 0 on`);
}
