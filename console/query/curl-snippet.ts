import type { JsonMembers } from "./json-value.ts";
import { printJson } from "./print-literal.ts";
import type { RequestPlace } from "./request-place.ts";

/**
 * The request as a command of a shell. The key comes from the environment, so that no command line
 * and no history has it.
 */
export function curlSnippet(body: JsonMembers, { baseUrl, namespace }: RequestPlace): string {
  const url = `${baseUrl}/v2/namespaces/${encodeURIComponent(namespace)}/query`;
  return [
    `curl -X POST ${quoted(url)} \\`,
    '  -H "Authorization: Bearer $TURBOPUFFER_API_KEY" \\',
    "  -H 'Content-Type: application/json' \\",
    `  -d ${quoted(printJson(body))}`,
  ].join("\n");
}

/** A word of a POSIX shell, whatever is in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
