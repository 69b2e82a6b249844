/** Which points are selected, kept alike with the address. */

import { useMemo, useState } from "preact/hooks";
import { setParameters } from "../../state/route.ts";
import { drawnPlaces, type SelectablePoints, selectedPoints } from "./address/selection-address.ts";
import type { Sample } from "./projection/load-sample.ts";

/** See the file's head. */
export interface Selection {
  readonly points: readonly number[];
  /** The address selects something that this map does not have, or not yet. */
  readonly isUnknown: boolean;
  /** Selects what a text of selection-address.ts says; undefined: nothing. */
  readonly select: (text: string | undefined) => void;
}

/**
 * The selection of a sample. Points that were selected here stay so while they are moved and
 * coloured anew; a link finds them by what the address says.
 */
export function useSelection(
  text: string | undefined,
  sample: Sample | undefined,
  of: SelectablePoints,
): Selection {
  const [here, setHere] = useState<{
    readonly of: Sample | undefined;
    readonly text: string | undefined;
    readonly points: readonly number[];
  }>();
  const isHere = here !== undefined && here.of === sample && here.text === text;
  const places = text === undefined ? undefined : drawnPlaces(text);
  const found = useMemo(
    () => (text === undefined || isHere ? undefined : selectedPoints(text, of)),
    [text, isHere, of.count, of.shades, places && of.positionsOf(places)],
  );
  const points = isHere ? here.points : (found ?? []);
  return {
    points,
    isUnknown: text !== undefined && !isHere && found === undefined,
    select: (next) => {
      const selected = next === undefined ? [] : (selectedPoints(next, of) ?? []);
      setHere({ of: sample, text: next, points: selected });
      setParameters({ selected: next });
    },
  };
}
