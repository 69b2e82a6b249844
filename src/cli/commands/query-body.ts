/** Bodies of queries, from a JSON argument or from short options. */

import { type Command, Option } from "commander";
import { RESULT_ROWS_MAX } from "../../model/contract-limits.ts";
import type { Terminal } from "../output/terminal.ts";
import type { CommandCall } from "./client-command.ts";
import { countOption } from "./count-option.ts";
import { UsageError } from "./exit-codes.ts";
import { readJsonArgument } from "./read-argument.ts";

const TOP_K_DEFAULT = 10;

interface QueryOptions {
  readonly text?: string;
  readonly vector?: string;
  readonly vectorAttribute?: string;
  readonly order?: string;
  readonly filter?: string;
  readonly topK?: number;
  readonly include?: string;
}

/** Adds the argument and the options that `queryBody` reads. */
export function declareQuery(command: Command): Command {
  return command
    .argument("<namespace>", "which one")
    .argument("[body]", "the request's JSON, @file, or - for standard input")
    .option("--text <attribute:words>", "rank by full text (BM25)")
    .option("--vector <json>", "rank by the nearest vectors (ANN); @file reads a file")
    .option("--vector-attribute <name>", "which vectors (default: vector)")
    .option("--order <attribute:asc|desc>", "rank by an attribute")
    .option("--filter <json>", 'only documents that match, such as \'["year","Gt",1999]\'')
    .addOption(
      new Option("--top-k <number>", "how many documents (default: 10)").argParser(
        countOption("--top-k", { min: 1, max: RESULT_ROWS_MAX }),
      ),
    )
    .option("--include <names>", "attributes to return, as in title,year (default: all)");
}

/** The body that the user wants, as JSON's text. Throws `UsageError` where that is not clear. */
export async function queryBody(
  { words, options }: CommandCall,
  terminal: Terminal,
): Promise<string> {
  const [, body] = words;
  const given = options as QueryOptions;
  const names = [
    "text",
    "vector",
    "vectorAttribute",
    "order",
    "filter",
    "topK",
    "include",
  ] as const;
  const short = names.filter((name) => given[name] !== undefined);
  if (body === undefined) return bodyOf(given, terminal);
  if (short.length > 0) {
    throw new UsageError(
      "give either the request's body or options such as --text and --filter: " +
        "what options say has a place in the body, too",
    );
  }
  return readJsonArgument(body, "the body", terminal);
}

async function bodyOf(options: QueryOptions, terminal: Terminal): Promise<string> {
  const ranks = [options.text, options.vector, options.order].filter((rank) => rank !== undefined);
  if (ranks.length > 1) {
    throw new UsageError(
      "--text, --vector and --order each rank the documents: give one, or a body with `queries`",
    );
  }
  if (options.vectorAttribute !== undefined && options.vector === undefined) {
    throw new UsageError("--vector-attribute needs --vector");
  }
  const members = [
    ["rank_by", await rankOf(options, terminal)],
    ["filters", await filterOf(options, terminal)],
    ["top_k", String(options.topK ?? TOP_K_DEFAULT)],
    ["include_attributes", includedOf(options)],
  ].filter(([, json]) => json !== undefined);
  return `{${members.map(([name, json]) => `"${name}":${json}`).join(",")}}`;
}

async function rankOf(options: QueryOptions, terminal: Terminal): Promise<string | undefined> {
  const { text, vector, order } = options;
  if (text !== undefined) {
    const [attribute, words] = splitOption(text, "--text", "attribute:words");
    return JSON.stringify([attribute, "BM25", words]);
  }
  if (order !== undefined) {
    const [attribute, direction] = splitOption(order, "--order", "attribute:asc or attribute:desc");
    if (direction === "asc" || direction === "desc") return JSON.stringify([attribute, direction]);
    throw new UsageError(`--order: ${direction} is neither asc nor desc`);
  }
  if (vector === undefined) return undefined;
  const operand = await readJsonArgument(vector, "--vector", terminal);
  const attribute = options.vectorAttribute ?? "vector";
  return `[${JSON.stringify(attribute)},"ANN",${operand}]`;
}

async function filterOf({ filter }: QueryOptions, terminal: Terminal): Promise<string | undefined> {
  return filter === undefined ? undefined : readJsonArgument(filter, "--filter", terminal);
}

function includedOf({ include }: QueryOptions): string {
  if (include === undefined) return "true";
  const names = include.split(",").map((name) => name.trim());
  return JSON.stringify(names.filter((name) => name !== ""));
}

function splitOption(text: string, name: string, form: string): [string, string] {
  const at = text.indexOf(":");
  if (at < 1 || at === text.length - 1) throw new UsageError(`${name}: ${text} is not ${form}`);
  return [text.slice(0, at), text.slice(at + 1)];
}
