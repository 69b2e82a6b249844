import type { DocsIndex } from "../docs/docs-index.ts";
import type { CallServer } from "./server-calls.ts";

/** A JSON Schema, as far as tools need it. */
export interface ArgumentSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly required?: readonly string[];
  readonly additionalProperties: false;
}

/** Arguments that fit the tool's schema. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** What a tool works with. */
export interface ToolContext {
  readonly call: CallServer;
  /** The documentation that came with the program; it is read when it is first asked for. */
  readonly docs: () => Promise<DocsIndex>;
  /** Aborted when nobody waits for the result any more. */
  readonly signal: AbortSignal;
}

/** What a tool does to the data, for hosts that ask their user before they call it. */
export type ToolEffect =
  /** Nothing. */
  | "reads"
  /** It adds, replaces or removes documents; the same call twice changes nothing more. */
  | "writes"
  /** It removes a whole namespace; likewise. */
  | "deletes";

/** A tool that assistants may call. */
export interface McpTool {
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** For models: what it is for, what comes back, and what to do next. */
  readonly description: string;
  readonly effect: ToolEffect;
  readonly schema: ArgumentSchema;
  /** The result's text. Throws `ToolFault` for what the caller can put right. */
  readonly run: (given: ToolArguments, context: ToolContext) => Promise<string>;
}

/** Why a tool has no result: the message tells the model what to do instead. */
export class ToolFault extends Error {}
