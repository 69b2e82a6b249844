/** The screen of a namespace's documents: a table of them, filtered, ordered, edited, downloaded. */

import type { JSX } from "preact";
import { countText } from "../../../src/base/amount-text.ts";
import { parseAttributeType } from "../../../src/model/attribute-type.ts";
import { temperatureWords } from "../../api/cache-temperature.ts";
import type { DocumentId, DocumentRow } from "../../api/documents.ts";
import { parseExact, stringifyExact } from "../../api/exact-json.ts";
import type { NamespaceMetadata } from "../../api/namespaces.ts";
import type { Json } from "../../query/json-value.ts";
import { readRequestSchema } from "../../query/request-schema.ts";
import { currentRoute, setParameters } from "../../state/route.ts";
import { useMetadata } from "../../state/use-metadata.ts";
import { Button } from "../../ui/button.tsx";
import { MetadataNote } from "../../ui/metadata-note.tsx";
import { EmptyState, ErrorNote, Progress, Spinner } from "../../ui/notes.tsx";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { ColumnMenu } from "./column-menu.tsx";
import { DocumentDialog } from "./document-dialog.tsx";
import { type Condition, formatConditions, parseConditions } from "./document-filters.ts";
import { type DocumentList, useDocumentList } from "./document-list.ts";
import {
  type DocumentOrder,
  formatOrder,
  isSortable,
  pageQuery,
  parseOrder,
} from "./document-page.ts";
import "./documents.css";
import { FacetPanel } from "./facet-panel.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { RowActions } from "./row-actions.tsx";
import { ValueCell } from "./value-cell.tsx";

/** Columns that are shown before anybody has chosen. */
const COLUMNS_DEFAULT = 12;

/** The table of the address's namespace. */
export function DocumentsScreen(): JSX.Element {
  const namespace = currentRoute.value.namespace ?? "";
  const metadata = useMetadata(namespace);
  const { value } = metadata;
  return (
    <>
      <div class="screen-head">
        <h1>Documents</h1>
        {value !== undefined && (
          <span class="muted">{`${countText(value.approx_row_count)} in ${namespace}`}</span>
        )}
      </div>
      {(value === undefined || metadata.fault !== undefined) && (
        <MetadataNote metadata={metadata} />
      )}
      {value !== undefined && (
        <Documents namespace={namespace} metadata={value} onChanged={metadata.reload} />
      )}
    </>
  );
}

interface DocumentsProps {
  readonly namespace: string;
  readonly metadata: NamespaceMetadata;
  readonly onChanged: () => void;
}

function Documents({ namespace, metadata, onChanged }: DocumentsProps): JSX.Element {
  const { parameters } = currentRoute.value;
  const { schema } = metadata;
  const names = Object.keys(schema).filter((name) => name !== "id");
  const columns = chosenColumns(parameters.get("columns"), names);
  const order = parseOrder(parameters.get("sort"), schema);
  const conditions = parseConditions(parameters.get("filter"));
  const list = useDocumentList(namespace, { schema, columns, order, conditions });
  const onConditions = (next: readonly Condition[]) =>
    setParameters({ filter: formatConditions(next) });
  return (
    <>
      <div class="bar">
        <ColumnMenu
          names={names}
          chosen={columns}
          onChange={(chosen) => setParameters({ columns: JSON.stringify(chosen) })}
        />
        <Button onClick={list.reload}>Refresh</Button>
        <RowActions
          namespace={namespace}
          schema={schema}
          rows={list.rows}
          columns={columns}
          query={pageQuery({ schema, columns, order, conditions, after: undefined })}
        />
        {list.isLoading && <Spinner label="Loading" />}
      </div>
      <FilterBar
        schema={readRequestSchema(schema as Json)}
        conditions={conditions}
        onConditions={onConditions}
      />
      <div class="documents">
        <FacetPanel
          namespace={namespace}
          schema={schema}
          conditions={conditions}
          onConditions={onConditions}
        />
        <div class="documents-main">
          {list.fault !== undefined && <ErrorNote fault={list.fault} onRetry={list.reload} />}
          <DocumentTable
            metadata={metadata}
            list={list}
            columns={columns}
            order={order}
            subject={stringifyExact([order, conditions])}
          />
          <StatusLine
            list={list}
            total={conditions.length === 0 ? metadata.approx_row_count : undefined}
          />
        </div>
      </div>
      <OpenedDocument
        namespace={namespace}
        onChanged={() => {
          list.reload();
          onChanged();
        }}
      />
    </>
  );
}

function DocumentTable(props: {
  readonly metadata: NamespaceMetadata;
  readonly list: DocumentList;
  readonly columns: readonly string[];
  readonly order: DocumentOrder;
  /** Which documents there are, in which order. */
  readonly subject: string;
}): JSX.Element | null {
  const { metadata, list, columns, order, subject } = props;
  if (list.rows.length === 0 && !list.isLoading) {
    if (list.fault !== undefined) return null;
    return metadata.approx_row_count === 0 ? (
      <EmptyState title="There are no documents yet">
        Load some with <code>trawl import</code>, or write them with any client of the API.
      </EmptyState>
    ) : (
      <EmptyState title="No document meets the filter">Take one of its conditions away.</EmptyState>
    );
  }
  const column = (name: string): TableColumn<DocumentRow> => {
    const type = metadata.schema[name]?.type ?? "string";
    return {
      key: name,
      title: name,
      ...columnForm(type),
      cell: (row) => <ValueCell value={row[name]} type={type} />,
      ...sorting(name, order, isSortable(metadata.schema[name])),
    };
  };
  const id: TableColumn<DocumentRow> = {
    key: "id",
    title: "id",
    width: "minmax(110px, 1fr)",
    cell: (row) => <DocumentLink row={row} />,
    ...sorting("id", order, true),
  };
  return (
    <Table
      label="Documents"
      columns={[id, ...columns.map(column)]}
      rows={list.rows}
      rowKey={(row) => stringifyExact(row.id)}
      isPartial={list.hasMore}
      subject={subject}
      isBusy={list.isLoading}
      onNearEnd={list.loadMore}
    />
  );
}

function DocumentLink({ row }: { readonly row: DocumentRow }): JSX.Element {
  const text = String(row.id);
  return (
    <button
      type="button"
      class="link"
      aria-label={`Open document ${text}`}
      onClick={() => setParameters({ document: stringifyExact(row.id) })}
    >
      {text === "" ? '""' : text}
    </button>
  );
}

function sorting(
  name: string,
  order: DocumentOrder,
  isPossible: boolean,
): Pick<TableColumn<DocumentRow>, "sorted" | "onSort"> {
  if (!isPossible) return {};
  const isHere = order.attribute === name;
  const next = isHere && order.direction === "asc" ? "desc" : "asc";
  return {
    sorted: isHere ? (order.direction === "asc" ? "ascending" : "descending") : undefined,
    onSort: () => setParameters({ sort: formatOrder({ attribute: name, direction: next }) }),
  };
}

function columnForm(type: string): Pick<TableColumn<DocumentRow>, "width" | "align"> {
  const parsed = parseAttributeType(type);
  if (parsed?.kind === "vector") return { width: "140px" };
  if (parsed?.kind !== "scalar") return { width: "minmax(140px, 2fr)" };
  if (parsed.of === "string") return { width: "minmax(160px, 3fr)" };
  const isNumber = ["int", "uint", "float"].includes(parsed.of);
  return { width: "minmax(90px, 1fr)", ...(isNumber && { align: "end" }) };
}

function StatusLine(props: {
  readonly list: DocumentList;
  /** Undefined: nobody knows how many meet the filter. */
  readonly total: number | undefined;
}): JSX.Element {
  const { rows, hasMore, isFull, performance } = props.list;
  const total = hasMore ? props.total : undefined;
  return (
    <div class="status-line">
      <span role="status">
        {`${countText(rows.length)} loaded${hasMore ? ", more as you scroll" : ", all of them"}`}
      </span>
      {total !== undefined && total > 0 && (
        <Progress label={`of ${countText(total)}`} value={Math.min(1, rows.length / total)} />
      )}
      {isFull && <span>The page holds no more; filter, or use `trawl export`.</span>}
      {performance !== undefined && (
        <span>
          {`${performance.server_total_ms} ms on the server, `}
          {temperatureWords(performance.cache_temperature)}
        </span>
      )}
    </div>
  );
}

function chosenColumns(text: string | null, names: readonly string[]): readonly string[] {
  if (text === null) return names.slice(0, COLUMNS_DEFAULT);
  try {
    const chosen: unknown = JSON.parse(text);
    return Array.isArray(chosen) ? names.filter((name) => chosen.includes(name)) : names;
  } catch {
    return names.slice(0, COLUMNS_DEFAULT);
  }
}

/** The document that the address names. */
function OpenedDocument(props: {
  readonly namespace: string;
  readonly onChanged: () => void;
}): JSX.Element | null {
  const opened = currentRoute.value.parameters.get("document");
  if (opened === null) return null;
  return (
    <DocumentDialog
      key={opened}
      namespace={props.namespace}
      id={idOf(opened)}
      onClose={() => setParameters({ document: undefined })}
      onChanged={props.onChanged}
    />
  );
}

/** An id as addresses have it: JSON, so that 5 and "5" are two. */
function idOf(text: string): DocumentId {
  try {
    const id = parseExact(text);
    if (typeof id === "string" || typeof id === "number" || typeof id === "bigint") return id;
  } catch {
    // Somebody has typed it: it is taken for a string then.
  }
  return text;
}
