/** The state of a map: its sample, points, colours, neighbours and selection, and how they come. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { DocumentId, DocumentRow } from "../../api/documents.ts";
import { stringifyExact } from "../../api/exact-json.ts";
import { client, serverReturns } from "../../state/session.ts";
import { type Task, useTask } from "../../state/use-task.ts";
import type { MapAddress } from "./address/map-address.ts";
import { type DrawnPlaces, drawnPlaces } from "./address/selection-address.ts";
import { type PointShades, plainShades, shadesOf } from "./drawing/point-shades.ts";
import { loadNeighbours, loadSample, loadValues, type Sample } from "./projection/load-sample.ts";
import { ProjectionWorker, umapInWorker } from "./projection/map-workers.ts";
import { COMPONENTS } from "./projection/projection.ts";
import { type MapGround, useGround } from "./use-ground.ts";
import { type Selection, useSelection } from "./use-selection.ts";

/** A sample and its places by principal components. */
export interface DrawnSample extends Sample {
  readonly positions: Float32Array;
  /** Share of the variance along both axes. */
  readonly shares: readonly number[];
}

/** Places of one round of UMAP. */
interface RoundPlaces {
  readonly positions: Float32Array;
  readonly round: number;
}

/** Places by UMAP, the same in each round whenever the same documents are drawn. */
export interface ShapedPoints {
  readonly positions: Float32Array;
  /** Undefined: its last round. */
  readonly round: number | undefined;
  /** Those that a line in the address was drawn over. */
  readonly kept: RoundPlaces | undefined;
}

/** Neighbours that are looked for. */
const NEIGHBOURS = 20;

/** See the file's head. */
export interface VectorMapState {
  readonly load: Task<DrawnSample>;
  readonly umap: Task<ShapedPoints>;
  readonly colors: Task<{ readonly of: Sample; readonly values: readonly unknown[] }>;
  readonly nearest: Task<readonly DocumentRow[]>;
  /** Where the points are now, and what puts them there. */
  readonly positions: Float32Array;
  readonly shown: DrawnPlaces;
  readonly shades: PointShades;
  readonly ground: MapGround;
  /** The query's own point and its neighbours that are in the sample. */
  readonly neighbours: { readonly from: number | undefined; readonly to: readonly number[] };
  /** Points by their document's id as text. */
  readonly pointOf: ReadonlyMap<string, number>;
  readonly selection: Selection;
  /** Reads the sample again. */
  readonly reload: () => void;
}

const NO_POSITIONS = new Float32Array(0);
const NO_IDS: readonly DocumentId[] = [];

/** Keeps a map as its address says. */
export function useVectorMap(namespace: string, address: MapAddress): VectorMapState {
  const [turn, setTurn] = useState(0);
  const worker = useRef<ProjectionWorker | undefined>(undefined);
  const ground = useGround();
  const load = useLoad(namespace, address, { turn, worker });
  const umap = useUmap(address, load, worker);
  const colors = useColors(namespace, address, load);
  const nearest = useNearest(namespace, address);
  const ids = load.value?.ids ?? NO_IDS;
  const pointOf = useMemo(() => new Map(ids.map((id, i) => [String(id), i])), [ids]);
  const byPca = load.value?.positions ?? NO_POSITIONS;
  const shaped = umap.value?.positions.length === byPca.length ? umap.value : undefined;
  const isShaped = address.method === "umap" && shaped !== undefined;
  const values = colors.value?.of === load.value ? colors.value?.values : undefined;
  const shades = useMemo(() => {
    if (address.color === undefined || values === undefined) {
      return plainShades(ids.length, ground.ground);
    }
    return shadesOf(values, ground.ground);
  }, [values, ids, ground, address.color]);
  const neighbours = useMemo(() => {
    const { near } = address;
    const from = near?.kind === "document" ? pointOf.get(String(near.id)) : undefined;
    const found = near === undefined ? [] : (nearest.value ?? []);
    const to = found.flatMap(({ id }) => pointOf.get(String(id)) ?? []);
    return { from, to };
  }, [nearest.value, pointOf, nearText(address)]);
  const selection = useSelection(address.selected, load.value, {
    count: ids.length,
    shades,
    positionsOf: ({ method, round }) => {
      if (method === "pca") return load.value?.positions;
      const all = [shaped, shaped?.kept];
      return all.find((each) => each !== undefined && each.round === round)?.positions;
    },
  });
  return {
    load,
    umap,
    colors,
    nearest,
    positions: isShaped ? shaped.positions : byPca,
    shown: { method: isShaped ? "umap" : "pca", round: isShaped ? shaped.round : undefined },
    shades,
    ground,
    neighbours,
    pointOf,
    selection,
    reload: () => setTurn((before) => before + 1),
  };
}

type WorkerRef = { current: ProjectionWorker | undefined };

function useLoad(
  namespace: string,
  address: MapAddress,
  { turn, worker }: { readonly turn: number; readonly worker: WorkerRef },
): Task<DrawnSample> {
  const task = useTask<DrawnSample>();
  const { vector, wanted, filter } = address;
  useEffect(() => {
    if (filter.fault !== undefined) return;
    const projection = new ProjectionWorker(vector.dims);
    worker.current = projection;
    task.start(async ({ api, signal, tell }) => {
      const { attribute, dims, isCosine } = vector;
      const request = { attribute, dims, isCosine, filter: filter.value, wanted };
      const sample = await loadSample({ api, namespace, signal }, request, {
        onVectors: (vectors) => projection.add(vectors),
        onRead: (read, of) => tell(`Read ${read} of ${of} vectors`, of === 0 ? 1 : read / of),
      });
      tell("Finding the axes along which vectors differ the most");
      const { coordinates, shares } = await projection.project(2);
      return { ...sample, positions: coordinates, shares };
    });
    return () => {
      task.stop();
      projection.close();
    };
  }, [namespace, vector.attribute, wanted, filter.text, turn, client.value, serverReturns.value]);
  return task;
}

function useUmap(
  { method, selected }: MapAddress,
  load: Task<DrawnSample>,
  worker: WorkerRef,
): Task<ShapedPoints> {
  const task = useTask<ShapedPoints>();
  const sample = load.value;
  const wanted = useRef<number>(undefined);
  wanted.current = selected === undefined ? undefined : drawnPlaces(selected)?.round;
  useEffect(() => {
    const projection = worker.current;
    let last: RoundPlaces | undefined;
    let kept: RoundPlaces | undefined;
    if (method !== "umap" || sample === undefined || projection === undefined) return;
    task.start(async ({ signal, tell, show }) => {
      tell(`Reducing vectors to ${COMPONENTS} dimensions`);
      const { coordinates, axes } = await projection.project(COMPONENTS);
      const positions = await umapInWorker(
        { coordinates, axes },
        {
          signal,
          onReport: (report) => {
            if (report.kind === "neighbours") {
              const millions = Math.round(report.distances / 1e6);
              tell(`UMAP looks for neighbours: ${millions} million distances so far`);
            } else if (report.kind === "epoch") {
              const { epoch, epochs, positions } = report;
              tell(`UMAP round ${epoch} of ${epochs}`, epoch / epochs);
              if (positions === undefined) return;
              // A line may have been drawn over the last one, or is waiting for this one.
              if (last !== undefined && last.round === wanted.current) kept = last;
              last = { positions, round: epoch };
              if (epoch === wanted.current) kept = last;
              show({ ...last, kept });
            }
          },
        },
      );
      if (last !== undefined && last.round === wanted.current) kept = last;
      return { positions, round: undefined, kept };
    });
    return task.stop;
  }, [method, sample]);
  return task;
}

function useColors(
  namespace: string,
  { color }: MapAddress,
  load: Task<DrawnSample>,
): VectorMapState["colors"] {
  const task: VectorMapState["colors"] = useTask();
  const sample = load.value;
  useEffect(() => {
    if (color === undefined || sample === undefined) return;
    task.start(async ({ api, signal, tell }) => {
      const { ids } = sample;
      const values = await loadValues(
        { api, namespace, signal },
        { ids, attribute: color },
        (read) => tell(`Read ${color} of ${read} of ${ids.length} documents`, read / ids.length),
      );
      return { of: sample, values };
    });
    return task.stop;
  }, [namespace, color, sample]);
  return task;
}

function useNearest(namespace: string, address: MapAddress): VectorMapState["nearest"] {
  const task = useTask<readonly DocumentRow[]>();
  const { vector } = address;
  useEffect(() => {
    const of = address.near;
    if (of === undefined) return;
    task.start(async ({ api, signal, tell }) => {
      tell("Looking for neighbours");
      const { attribute, embeds } = vector;
      if (of.kind === "words" && embeds === undefined) {
        throw new Error(`the server makes no vectors of texts for ${attribute}: give a document`);
      }
      const query = of.kind === "words" ? { ...of, embeds: embeds ?? "" } : of;
      return loadNeighbours({ api, namespace, signal }, query, { attribute, count: NEIGHBOURS });
    });
    return task.stop;
  }, [namespace, vector.attribute, nearText(address)]);
  return task;
}

/** What neighbours are drawn of, as text: ids may be a bigint, which JSON does not have. */
function nearText({ near }: MapAddress): string | undefined {
  return near && stringifyExact(near);
}
