/** What can be had of the table beside the looks of it: its rows as a file, its request as code. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { countedText } from "../../../src/base/amount-text.ts";
import { parseAttributeType } from "../../../src/model/attribute-type.ts";
import type { DocumentRow } from "../../api/documents.ts";
import { stringifyExact } from "../../api/exact-json.ts";
import type { AttributeMetadata } from "../../api/namespaces.ts";
import { curlSnippet } from "../../query/curl-snippet.ts";
import { parseJsonText } from "../../query/json-source.ts";
import type { JsonMembers } from "../../query/json-value.ts";
import { Button } from "../../ui/button.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { formulaCount, type RowFormat, rowsText } from "./shown-rows.ts";

/** What is in the table. */
export interface RowActionsProps {
  readonly namespace: string;
  readonly schema: Readonly<Record<string, AttributeMetadata>>;
  readonly rows: readonly DocumentRow[];
  readonly columns: readonly string[];
  /** The query of the first page. */
  readonly query: unknown;
}

/** The buttons. */
export function RowActions(props: RowActionsProps): JSX.Element {
  const { namespace, schema, rows, columns, query } = props;
  const [isShown, setShown] = useState(false);
  const [formulas, setFormulas] = useState(0);
  const download = (format: RowFormat) => {
    const isVector = (name: string) =>
      parseAttributeType(schema[name]?.type ?? "")?.kind === "vector";
    const vectorColumns = new Set(columns.filter(isVector));
    setFormulas(format === "csv" ? formulaCount({ rows, columns }) : 0);
    saveFile(`${namespace}.${format}`, rowsText(format, { rows, columns, vectorColumns }));
  };
  const denied = rows.length === 0 ? "nothing is shown" : undefined;
  return (
    <>
      <Button denied={denied} onClick={() => download("jsonl")}>
        Download JSONL
      </Button>
      <Button denied={denied} onClick={() => download("csv")}>
        Download CSV
      </Button>
      <Button onClick={() => setShown(true)}>Show the request</Button>
      {formulas > 0 && (
        <p class="field-hint" role="status">
          {countedText(formulas, "text")} in the file {formulas === 1 ? "begins" : "begin"} with =,
          +, -, @ or a tab: a spreadsheet would run that as a formula.{" "}
          <code>trawl export --escape-formulas</code> writes such texts so that none does.
        </p>
      )}
      {isShown && (
        <Dialog title="The request of this table" isWide onClose={() => setShown(false)}>
          <CodeBlock label="The request as curl" code={curlOf(namespace, query)} />
        </Dialog>
      )}
    </>
  );
}

function curlOf(namespace: string, query: unknown): string {
  // As it is sent: without members that are undefined.
  const body = parseJsonText(stringifyExact(query)) as JsonMembers;
  return curlSnippet(body, { baseUrl: location.origin, namespace });
}

function saveFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
