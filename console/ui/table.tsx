/** Tables of any length: only the rows in sight are in the page. */

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useVirtualRows } from "./virtual-rows.ts";

/** Rows before the end from which on more are asked for. */
const NEAR_END_ROWS = 30;
const ROW_PX = 34;

/** Which way a column is sorted. */
export type SortDirection = "ascending" | "descending";

/** One column. */
export interface TableColumn<Row> {
  readonly key: string;
  readonly title: string;
  /** What the title's cell has beside it. */
  readonly note?: ComponentChildren;
  /** As CSS's grid takes it, with its least width first: `120px`, `minmax(160px, 2fr)`. */
  readonly width: string;
  readonly align?: "end";
  readonly cell: (row: Row, index: number) => ComponentChildren;
  /** Absent: it is not what the table is sorted by. */
  readonly sorted?: SortDirection | undefined;
  /** Absent: the table cannot be sorted by it. */
  readonly onSort?: (() => void) | undefined;
}

/** What a table has. */
export interface TableProps<Row> {
  /** Its name, as it is read out. */
  readonly label: string;
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** There are more rows than are loaded, nobody knows how many. */
  readonly isPartial?: boolean;
  /** Told which rows are in sight, `start` to `end`. */
  readonly onVisible?: (start: number, end: number) => void;
  /** Called when the end is near, and again there when it is another function. */
  readonly onNearEnd?: (() => void) | undefined;
  readonly isBusy?: boolean;
  /** What the rows are of; when it changes they are seen from their beginning. */
  readonly subject?: string;
}

/** A table that scrolls in its own place. */
export function Table<Row>(props: TableProps<Row>): JSX.Element {
  const { label, columns, rows, rowKey, isPartial, onVisible, onNearEnd, isBusy, subject } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const { items, totalSize } = useVirtualRows(scroller, { count: rows.length, rowHeight: ROW_PX });
  const start = items[0]?.index ?? 0;
  const end = (items.at(-1)?.index ?? -1) + 1;
  useEffect(() => {
    if (scroller.current !== null) scroller.current.scrollTop = 0;
  }, [subject]);
  useEffect(() => onVisible?.(start, end), [start, end, rows]);
  useEffect(() => {
    if (end > 0 && end + NEAR_END_ROWS >= rows.length) onNearEnd?.();
  }, [end, rows.length, onNearEnd]);
  const grid = { gridTemplateColumns: columns.map(({ width }) => width).join(" ") };
  // Rows are placed, so that they widen nothing by themselves.
  const leastPx = columns.reduce((sum, { width }) => sum + Number.parseInt(pixelsOf(width), 10), 0);
  return (
    <div
      class="table-scroller"
      ref={scroller}
      tabIndex={0}
      role="region"
      aria-label={label}
      onKeyDown={jumpToEnds}
    >
      <div
        class="table"
        style={{ minWidth: `${leastPx}px` }}
        role="table"
        aria-label={label}
        aria-rowcount={isPartial ? -1 : rows.length + 1}
        aria-busy={isBusy}
      >
        <div role="rowgroup" class="table-head">
          <div role="row" class="table-row" style={grid} aria-rowindex={1}>
            {columns.map((column) => (
              <HeadCell key={column.key} column={column} />
            ))}
          </div>
        </div>
        <div role="rowgroup" class="table-body" style={{ height: `${totalSize}px` }}>
          {items.map(({ index, start: top }) => {
            const row = rows[index];
            if (row === undefined) return undefined;
            const place = { ...grid, transform: `translateY(${top}px)`, height: `${ROW_PX}px` };
            return (
              <div
                key={rowKey(row)}
                role="row"
                class="table-row table-row-placed"
                style={place}
                aria-rowindex={index + 2}
              >
                {columns.map(({ key, align, cell }) => (
                  <div key={key} role="cell" class={align === "end" ? "cell cell-end" : "cell"}>
                    {cell(row, index)}
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

/**
 * Home and End lead there at once. By themselves browsers glide, and go on gliding in the rows of
 * another subject that is chosen meanwhile.
 */
function jumpToEnds(event: KeyboardEvent): void {
  const { key, target, currentTarget } = event;
  if ((key !== "Home" && key !== "End") || target !== currentTarget) return;
  const scroller = currentTarget as HTMLElement;
  event.preventDefault();
  scroller.scrollTop = key === "Home" ? 0 : scroller.scrollHeight;
}

/** The least width of a column. */
function pixelsOf(width: string): string {
  return /(\d+)px/.exec(width)?.[1] ?? "0";
}

function HeadCell<Row>({ column }: { readonly column: TableColumn<Row> }): JSX.Element {
  const { title, note, align, sorted, onSort } = column;
  const sign = sorted === undefined ? "" : sorted === "ascending" ? " ↑" : " ↓";
  return (
    <div
      role="columnheader"
      class={align === "end" ? "cell cell-end" : "cell"}
      aria-sort={onSort && (sorted ?? "none")}
    >
      {onSort === undefined ? (
        <span>{title}</span>
      ) : (
        <button type="button" class="sort" onClick={onSort}>
          {title}
          <span aria-hidden="true">{sign}</span>
        </button>
      )}
      {note}
    </div>
  );
}
