/** Results as a table. */

import type { JSX } from "preact";
import type { QueryDraft } from "../../composer/query-draft.ts";
import type { JsonMembers } from "../../query/json-value.ts";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { type ShownResult, valueSummary } from "./answer-model.ts";
import { MoreLikeThis } from "./more-like-this.tsx";
import { rankedFirst } from "./ranked-columns.ts";

/** See the file's head. Highlights are in the cards; here they would be long. */
export function ResultTable(props: {
  readonly result: ShownResult;
  readonly draft: QueryDraft;
}): JSX.Element {
  const { result, draft } = props;
  const shown = result.columns.filter((name) => !name.startsWith("highlight_"));
  const names = rankedFirst(shown, draft.model.value?.rankings.map(({ ranking }) => ranking) ?? []);
  const columns = names.map((name): TableColumn<JsonMembers> => {
    const isNumber = result.rows.every((row) =>
      ["number", "bigint", "undefined"].includes(typeof row[name]),
    );
    return {
      key: name,
      title: name,
      width: widthOf(name, isNumber),
      ...(isNumber && { align: "end" as const }),
      cell: (row) => {
        const text = valueSummary(row[name]);
        return (
          <span class="clip" title={text}>
            {text}
          </span>
        );
      },
    };
  });
  if (result.isDocuments) {
    columns.push({
      key: " more",
      title: "Neighbours",
      width: "128px",
      cell: (row) => <MoreLikeThis row={row} draft={draft} />,
    });
  }
  return <Table label="Documents found" columns={columns} rows={result.rows} rowKey={rowKey} />;
}

function rowKey(row: JsonMembers): string {
  return row.id === undefined
    ? Object.values(row).map(valueSummary).join("\u0000")
    : String(row.id);
}

function widthOf(name: string, isNumber: boolean): string {
  if (name === "id") return "minmax(90px, 180px)";
  return isNumber ? "minmax(90px, 120px)" : "minmax(160px, 2fr)";
}
