/** A map with what chooses it, its legend, its selection and the document pointed at. */

import type { JSX } from "preact";
import { currentRoute, setParameters } from "../../state/route.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState, ErrorNote } from "../../ui/notes.tsx";
import { TaskNote } from "../../ui/task-note.tsx";
import { readAddress } from "./address/map-address.ts";
import { colorSelection, lassoSelection } from "./address/selection-address.ts";
import { MapCanvas } from "./drawing/map-canvas.tsx";
import { HoveredDocument } from "./hovered-document.tsx";
import type { MapChoices } from "./map-choices.ts";
import { MapControls } from "./map-controls.tsx";
import { MapLegend } from "./map-legend.tsx";
import { NeighbourList } from "./neighbour-list.tsx";
import type { Sample } from "./projection/load-sample.ts";
import { SelectedPoints } from "./selected-points.tsx";
import { useVectorMap, type VectorMapState } from "./use-vector-map.ts";

/** See the file's head. */
export function VectorMap(props: {
  readonly namespace: string;
  readonly choices: MapChoices;
}): JSX.Element {
  const { namespace, choices } = props;
  const address = readAddress(currentRoute.value.parameters, choices);
  const map = useVectorMap(namespace, address);
  const sample = map.load.value;
  return (
    <>
      <div class="screen-head">
        <h1>Map</h1>
        {sample !== undefined && (
          <span class="muted">{sampleWords(sample, map, address.method)}</span>
        )}
      </div>
      <MapControls {...{ address, choices }} onReload={map.reload} />
      <Tasks map={map} method={address.method} />
      {sample !== undefined && sample.ids.length === 0 && map.load.step === undefined && (
        <EmptyState title="There is nothing to draw">
          No document {address.filter.value === undefined ? "" : "that matches the filter "}has the
          vector {address.vector.attribute}.
        </EmptyState>
      )}
      {sample !== undefined && sample.ids.length > 0 && (
        <div class="map-columns">
          <MapCanvas
            positions={map.positions}
            shades={map.shades}
            marked={marksOf(map)}
            neighbours={map.neighbours}
            background={map.ground.background}
            mode={address.mode}
            onLasso={(corners) =>
              map.selection.select(lassoSelection(corners, map.positions, map.shown))
            }
            address={{
              text: address.view,
              onText: (view) => setParameters({ view }, { replace: true }),
            }}
            onPick={(point) => setParameters({ near: String(sample.ids[point]), words: undefined })}
            describe={(point) => (
              <HoveredDocument
                namespace={namespace}
                id={sample.ids[point]}
                without={choices.hidden}
              />
            )}
          />
          <aside class="map-side" aria-label="About the map">
            <MapLegend
              shades={map.shades}
              title={address.color}
              onSelect={(entry) => map.selection.select(colorSelection(entry))}
            />
            <NeighbourList map={map} address={address} />
            <SelectedPoints {...{ namespace, address, map, sample }} />
          </aside>
        </div>
      )}
    </>
  );
}

/** What is under way, and what has failed; a sample that could not be read can be tried again. */
function Tasks(props: {
  readonly map: VectorMapState;
  readonly method: "pca" | "umap";
}): JSX.Element {
  const { load, umap, colors, nearest } = props.map;
  return (
    <>
      <TaskNote task={{ ...load, fault: undefined }} />
      {load.fault !== undefined && <ErrorNote fault={load.fault} onRetry={props.map.reload} />}
      {props.method === "umap" && <TaskNote task={umap} />}
      <TaskNote task={colors} />
      <TaskNote task={nearest} />
      {load.step === undefined && load.fault === undefined && load.value === undefined && (
        <EmptyState
          title="The map was stopped"
          action={<Button onClick={props.map.reload}>Draw the map</Button>}
        />
      )}
    </>
  );
}

/** Points that stand out: those selected, or a query's neighbours with it; all if there are none. */
function marksOf({ selection, neighbours, positions }: VectorMapState): Uint8Array | undefined {
  const selected = selection.points;
  if (selected.length === 0) return undefined;
  const marked = new Uint8Array(positions.length / 2);
  for (const point of selected) marked[point] = 1;
  for (const point of neighbours.to) marked[point] = 1;
  if (neighbours.from !== undefined) marked[neighbours.from] = 1;
  return marked;
}

function sampleWords(
  { ids, available, choice, withoutVector }: Sample,
  { load }: VectorMapState,
  method: "pca" | "umap",
): string {
  const chosen = {
    all: "all documents",
    spread: `a sample of ${available} documents, spread over their ids`,
    first: `the first of ${available} documents by id`,
  }[choice];
  const missing = withoutVector === 0 ? "" : `, ${withoutVector} without a vector`;
  const [x = 0, y = 0] = load.value?.shares ?? [];
  const shown =
    method === "umap"
      ? "near points are near vectors; distances between groups say little"
      : `the axes show ${Math.round((x + y) * 100)} % of how vectors differ`;
  return `${ids.length} points: ${chosen}${missing}; ${shown}.`;
}
