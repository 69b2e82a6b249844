/** The selected points as a table, and as a filter for other screens. */

import type { JSX } from "preact";
import { stringifyExact } from "../../api/exact-json.ts";
import { routePath, setParameters } from "../../state/route.ts";
import { Button } from "../../ui/button.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Table, type TableColumn } from "../../ui/table.tsx";
import type { MapAddress } from "./address/map-address.ts";
import { ALL_POINTS } from "./address/selection-address.ts";
import type { DrawnSample, VectorMapState } from "./use-vector-map.ts";

/** Characters of a query in an address: servers take 16 KiB of headers with all else. */
const ADDRESS_CHARS_MAX = 6000;
/** Ids of a filter that is shown to be copied: what one answer can hold. */
const FILTER_IDS_MAX = 10_000;

/** See the file's head. */
export function SelectedPoints(props: {
  readonly namespace: string;
  readonly address: MapAddress;
  readonly map: VectorMapState;
  readonly sample: DrawnSample;
}): JSX.Element {
  const { namespace, address, map, sample } = props;
  const { points: selected, isUnknown, select } = map.selection;
  const values = map.colors.value?.of === sample ? map.colors.value.values : undefined;
  const columns = columnsOf(sample, values && address.color, values);
  return (
    <section class="map-part" aria-labelledby="selected-title">
      <header class="map-part-head">
        <h2 id="selected-title">Selected points</h2>
        <span class="muted" role="status">
          {selected.length} of {sample.ids.length}
        </span>
        {selected.length > 0 && (
          <Button look="quiet" onClick={() => select(undefined)}>
            Clear
          </Button>
        )}
      </header>
      {isUnknown && (
        <p class="muted">
          The address selects what is not drawn: by a colour that this map has not, or points of a
          map by UMAP that is not that far.
        </p>
      )}
      {selected.length === 0 ? (
        <p class="muted">
          Draw a lasso around points (or drag with Shift), or take a colour of the legend.{" "}
          <button type="button" class="link" onClick={() => select(ALL_POINTS)}>
            Select all points
          </button>
        </p>
      ) : (
        <>
          <FilterOut namespace={namespace} sample={sample} selected={selected} />
          <div class="selected-table">
            <Table
              label="Documents selected"
              columns={columns}
              rows={selected}
              rowKey={(point) => String(point)}
            />
          </div>
        </>
      )}
    </section>
  );
}

/** The id, and the value that colours are of. */
function columnsOf(
  sample: DrawnSample,
  color: string | undefined,
  values: readonly unknown[] | undefined,
): readonly TableColumn<number>[] {
  const columns: TableColumn<number>[] = [
    {
      key: "id",
      title: "id",
      width: "minmax(120px, 1fr)",
      cell: (point) => (
        <button
          type="button"
          class="link"
          title="Draw its neighbours"
          onClick={() => setParameters({ near: String(sample.ids[point]), words: undefined })}
        >
          {String(sample.ids[point])}
        </button>
      ),
    },
  ];
  if (color !== undefined && values !== undefined) {
    columns.push({
      key: "color",
      title: color,
      width: "minmax(100px, 1fr)",
      cell: (point) => String(values[point] ?? ""),
    });
  }
  return columns;
}

/** The selection as a filter: opened in Query where it fits an address, to be copied in any case. */
function FilterOut(props: {
  readonly namespace: string;
  readonly sample: DrawnSample;
  readonly selected: readonly number[];
}): JSX.Element {
  const { namespace, sample, selected } = props;
  const ids = selected.map((point) => sample.ids[point]);
  if (ids.length > FILTER_IDS_MAX) {
    return <p class="muted">More than {FILTER_IDS_MAX} ids are too many for a filter.</p>;
  }
  const filter = ["id", "In", ids];
  const request = stringifyExact({ filters: filter, limit: Math.min(100, ids.length) });
  const fits = encodeURIComponent(request).length <= ADDRESS_CHARS_MAX;
  return (
    <>
      {fits ? (
        <a class="button" href={routePath("query", namespace, { q: request })}>
          Open in Query
        </a>
      ) : (
        <p class="muted">Too many ids for an address: copy the filter into a query.</p>
      )}
      <details>
        <summary>Filter of these ids</summary>
        <CodeBlock label="Filter" code={stringifyExact(filter)} />
      </details>
    </>
  );
}
