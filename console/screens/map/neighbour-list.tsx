/** The nearest documents of a query, in words: which of them are on the map, and how far they are. */

import type { JSX } from "preact";
import { setParameters } from "../../state/route.ts";
import { Button } from "../../ui/button.tsx";
import type { MapAddress } from "./address/map-address.ts";
import type { VectorMapState } from "./use-vector-map.ts";

/** Nothing where no neighbours are asked for. */
export function NeighbourList(props: {
  readonly map: VectorMapState;
  readonly address: MapAddress;
}): JSX.Element | undefined {
  const { map, address } = props;
  const { near } = address;
  if (near === undefined) return undefined;
  const rows = map.nearest.value ?? [];
  const title = near.kind === "words" ? `“${near.text}”` : String(near.id);
  return (
    <section class="map-part" aria-labelledby="neighbours-title">
      <header class="map-part-head">
        <h2 id="neighbours-title">
          Neighbours of <code>{title}</code>
        </h2>
        <Button look="quiet" onClick={() => setParameters({ near: undefined, words: undefined })}>
          Clear
        </Button>
      </header>
      <p class="muted">
        {rows.length} found by ANN, {map.neighbours.to.length} of them on the map.
      </p>
      <ol class="neighbours" aria-label="Neighbours">
        {rows.map(({ id, $dist }) => {
          const name = String(id);
          return (
            <li key={name}>
              <button
                type="button"
                class="link"
                onClick={() => setParameters({ near: name, words: undefined })}
              >
                {name}
              </button>{" "}
              <span class="muted">
                {typeof $dist === "number" ? $dist.toPrecision(4) : ""}
                {map.pointOf.has(String(id)) ? "" : " · not on the map"}
              </span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
