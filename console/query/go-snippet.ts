import type { JsonMembers } from "./json-value.ts";
import { printJson } from "./print-literal.ts";
import { isMultiQuery, type RequestPlace } from "./request-place.ts";

/**
 * The request as a program for the official client `turbopuffer-go`. The body is given as JSON, so
 * that it is this very request, also where the client has no types for a part of it.
 */
export function goSnippet(body: JsonMembers, place: RequestPlace): string {
  const isMulti = isMultiQuery(body);
  const call = isMulti ? "MultiQuery" : "Query";
  const aggregates = isMembersOf(body, "group_by") ? "AggregationGroups" : "Aggregations";
  const result = isMulti ? "Results" : "aggregate_by" in body ? aggregates : "Rows";
  return [
    "package main",
    "",
    "import (",
    '\t"context"',
    '\t"fmt"',
    '\t"os"',
    "",
    '\t"github.com/turbopuffer/turbopuffer-go/v2"',
    '\t"github.com/turbopuffer/turbopuffer-go/v2/option"',
    ")",
    "",
    `const body = \`${rawText(printJson(body))}\``,
    "",
    "func main() {",
    "\tclient := turbopuffer.NewClient(",
    `\t\toption.WithBaseURL(${JSON.stringify(place.baseUrl)}),`,
    '\t\toption.WithAPIKey(os.Getenv("TURBOPUFFER_API_KEY")),',
    "\t)",
    `\tnamespace := client.Namespace(${JSON.stringify(place.namespace)})`,
    `\tanswer, err := namespace.${call}(`,
    "\t\tcontext.Background(),",
    `\t\tturbopuffer.Namespace${call}Params{},`,
    '\t\toption.WithRequestBody("application/json", []byte(body)),',
    "\t)",
    "\tif err != nil {",
    "\t\tpanic(err)",
    "\t}",
    `\tfmt.Println(answer.${result})`,
    "}",
    "",
  ].join("\n");
}

/** A raw string of Go has no escapes; JSON can spell the one character that would end it. */
function rawText(json: string): string {
  return json.replaceAll("`", "\\u0060");
}

function isMembersOf(body: JsonMembers, name: string): boolean {
  const value = body[name];
  return Array.isArray(value) && value.length > 0;
}
