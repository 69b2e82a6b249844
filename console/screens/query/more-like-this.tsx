/** From a document to those whose vectors are near its own. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { faultOf } from "../../api/api-fault.ts";
import type { QueryDraft } from "../../composer/query-draft.ts";
import { documentVector } from "../../composer/vector-editor.tsx";
import type { JsonMembers } from "../../query/json-value.ts";
import { valueText } from "../../query/operand-text.ts";
import { type FilterModel, firstQuery, newRanking } from "../../query/query-model.ts";
import type { RequestSchema } from "../../query/request-schema.ts";
import { announce } from "../../ui/announce.tsx";
import { Button } from "../../ui/button.tsx";

/** The click that counts: the query is for one document, whichever vector comes last. */
let latest: object | undefined;

/** A button that makes the query one for the document's neighbours; nothing without vectors. */
export function MoreLikeThis(props: {
  readonly row: JsonMembers;
  readonly draft: QueryDraft;
}): JSX.Element | null {
  const { row, draft } = props;
  const [isBusy, setBusy] = useState(false);
  const attribute = vectorAttribute(draft.schema);
  const { id } = row;
  if (attribute === undefined || id === undefined) return null;
  const ask = async () => {
    const own = {};
    latest = own;
    setBusy(true);
    try {
      const values = await documentVector(id, attribute);
      if (latest !== own) return;
      const empty = newRanking("vector", draft.schema);
      if (empty.kind !== "vector") return;
      const ranking = { ...empty, attribute, from: "values" as const, values };
      const base = draft.model.peek() ?? firstQuery(draft.schema);
      const others: FilterModel = {
        kind: "condition",
        attribute: "id",
        operator: "NotEq",
        operand: valueText(id),
        lastAsPrefix: false,
        distance: 0,
      };
      const filter = { kind: "group", join: "And", not: false, parts: [others] } as const;
      draft.editModel({
        ...base,
        form: "documents",
        rankings: [{ ranking, weight: "1" }],
        filter,
        highlight: false,
      });
      announce(`The query asks for documents near ${String(id)}; run it`);
    } catch (error) {
      announce(faultOf(error)?.message ?? "");
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button
      look="quiet"
      isBusy={isBusy}
      label={`More like this: ${String(id)}`}
      onClick={() => void ask()}
    >
      More like this
    </Button>
  );
}

/** The vector attribute with an index, or any. */
function vectorAttribute(schema: RequestSchema): string | undefined {
  const vectors = [...schema.values()].filter(({ type }) => type?.kind === "vector");
  return (vectors.find(({ ann }) => ann) ?? vectors[0])?.name;
}
