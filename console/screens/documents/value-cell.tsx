/** One value of a document in one line: all of it is there for who points at it. */

import type { JSX } from "preact";
import { parseAttributeType } from "../../../src/model/attribute-type.ts";
import { stringifyExact } from "../../api/exact-json.ts";
import { Sparkline } from "./sparkline.tsx";

/** Characters in the cell, and in what is shown when one points at it. */
const CELL_CHARS_MAX = 200;
const TITLE_CHARS_MAX = 2000;

/** The value of an attribute of this type. */
export function ValueCell(props: { readonly value: unknown; readonly type: string }): JSX.Element {
  const { value, type } = props;
  if (value === undefined || value === null) return <span class="muted">—</span>;
  if (parseAttributeType(type)?.kind === "vector") return <Sparkline value={value} />;
  const text = typeof value === "string" ? value : stringifyExact(value);
  const shown = isList(value) ? value.join(", ") : text;
  return <span title={clipped(text, TITLE_CHARS_MAX)}>{clipped(shown, CELL_CHARS_MAX)}</span>;
}

/** An array of single values, which reads better without its signs. */
function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.every((each) => typeof each !== "object");
}

function clipped(text: string, charsMax: number): string {
  return text.length > charsMax ? `${text.slice(0, charsMax)}…` : text;
}
