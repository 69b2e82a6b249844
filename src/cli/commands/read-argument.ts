/** Arguments that hold JSON: the text itself, `@file`, or `-` for standard input. */

import { readFile } from "node:fs/promises";
import { MIB } from "../../base/byte-sizes.ts";
import type { Terminal } from "../output/terminal.ts";
import { UsageError } from "./exit-codes.ts";

/** Of an argument's text; the API takes bodies of no more. */
const ARGUMENT_BYTES_MAX = 64 * MIB;

/**
 * Reads the JSON that `argument` is or names, and returns its text as it is written: numbers that
 * JavaScript would round stay exact. `name` is the option's or argument's, for messages.
 */
export async function readJsonArgument(
  argument: string,
  name: string,
  terminal: Terminal,
): Promise<string> {
  const text = await readText(argument, name, terminal);
  try {
    JSON.parse(text);
  } catch (error) {
    const hint = argument.startsWith("@") ? "" : "; put it in single quotes, or say @file or -";
    throw new UsageError(`${name} is no JSON: ${(error as Error).message}${hint}`);
  }
  return text;
}

async function readText(argument: string, name: string, terminal: Terminal): Promise<string> {
  if (argument === "-" || argument === "@-") return readInput(name, terminal);
  if (!argument.startsWith("@")) return argument;
  const path = argument.slice(1);
  try {
    const bytes = await readFile(path);
    if (bytes.length <= ARGUMENT_BYTES_MAX) return bytes.toString("utf8");
  } catch (error) {
    throw new UsageError(`${name}: cannot read ${path}: ${(error as Error).message}`);
  }
  throw new UsageError(`${name}: ${path} has more than ${ARGUMENT_BYTES_MAX} bytes`);
}

async function readInput(name: string, { input }: Terminal): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of input) {
    bytes += chunk.length;
    if (bytes > ARGUMENT_BYTES_MAX) {
      throw new UsageError(`${name}: standard input has more than ${ARGUMENT_BYTES_MAX} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
