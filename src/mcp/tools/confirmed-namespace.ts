import { clipName } from "../../base/bounded-text.ts";
import { type ToolArguments, ToolFault } from "./mcp-tool.ts";

/** The argument that repeats a namespace's name. */
export const CONFIRM_SCHEMA = {
  type: "string",
  minLength: 1,
  maxLength: 128,
  description:
    "The exact name of the namespace once more: ask your user whether this change is wanted first.",
  examples: ["books"],
} as const;

/** The namespace of a call that changes it. Throws `ToolFault` unless it is named twice. */
export function confirmedNamespace({ namespace, confirm }: ToolArguments): string {
  if (confirm === namespace) return String(namespace);
  throw new ToolFault(
    `confirm is "${clipName(String(confirm))}", and namespace "${clipName(String(namespace))}": ` +
      "nothing was changed. If your user wants this change, call again with the exact name of " +
      "the namespace in both",
  );
}
