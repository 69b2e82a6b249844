/** The document of the point under the pointer, read when the pointer rests. */

import type { JSX } from "preact";
import { systemClock } from "../../../src/base/clock.ts";
import type { DocumentId } from "../../api/documents.ts";
import { stringifyExact } from "../../api/exact-json.ts";
import { useRequest } from "../../state/use-request.ts";
import { loadDocument } from "./projection/load-sample.ts";

/** How long the pointer rests before the server is asked. */
const REST_MS = 120;
/** What fits beside a point. */
const ATTRIBUTES_MAX = 8;
const VALUE_CHARS_MAX = 160;

/** See the file's head. */
export function HoveredDocument(props: {
  readonly namespace: string;
  readonly id: DocumentId;
  /** Attributes that are not shown: vectors. */
  readonly without: readonly string[];
}): JSX.Element {
  const { namespace, id, without } = props;
  const key = String(id);
  const document = useRequest(
    async (api, signal) => {
      await systemClock.sleep(REST_MS, signal);
      return { key, row: await loadDocument({ api, namespace, signal }, { id, without }) };
    },
    [namespace, key],
  );
  // The last one is there until the next has come.
  const row = document.value?.key === key ? document.value.row : undefined;
  const isGone = document.value?.key === key && row === undefined;
  return (
    <dl class="hovered">
      <dt>id</dt>
      <dd>{key}</dd>
      {Object.entries(row ?? {})
        .filter(([name]) => name !== "id")
        .slice(0, ATTRIBUTES_MAX)
        .map(([name, value]) => (
          <HoveredValue key={name} name={name} value={value} />
        ))}
      {document.fault !== undefined && <dd class="field-error">{document.fault.message}</dd>}
      {isGone && <dd>It is deleted by now.</dd>}
    </dl>
  );
}

function HoveredValue(props: { readonly name: string; readonly value: unknown }): JSX.Element {
  const { name, value } = props;
  const text = typeof value === "string" ? value : stringifyExact(value);
  const isLong = text.length > VALUE_CHARS_MAX;
  return (
    <>
      <dt>{name}</dt>
      <dd>{isLong ? `${text.slice(0, VALUE_CHARS_MAX)}…` : text}</dd>
    </>
  );
}
