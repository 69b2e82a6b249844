/** The view of a map, kept alike with the address. */

import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { systemClock } from "../../../src/base/clock.ts";
import { frameOf, viewOfText, viewText } from "./address/view-address.ts";
import { boundsOf, type Extent, type MapView } from "./map-view.ts";

/** After the last change: browsers let addresses change a few times a second, no more. */
const SETTLED_MS = 300;

/** What the address says, and who writes it. */
export interface ViewAddress {
  /** Undefined: the view that shows everything. */
  readonly text: string | undefined;
  readonly onText: (text: string | undefined) => void;
}

/**
 * The view that is shown, and the one that shows everything. It stays where it is when the window
 * or the points change, follows the address, and is written there when it has come to rest.
 */
export function useMapView(
  positions: Float32Array,
  extent: Extent,
  { text, onText }: ViewAddress,
): { readonly view: Signal<MapView>; readonly whole: MapView } {
  const bounds = useMemo(() => boundsOf(positions), [positions]);
  const frame = useMemo(() => frameOf(bounds, extent), [bounds, extent.width, extent.height]);
  const view = useSignal<MapView>(frame.whole);
  const shown = useRef(text);
  /** What the address had when it was last read or written: anything else comes from the user. */
  const known = useRef(text);
  const write = useRef(onText);
  write.current = onText;
  const settling = useRef(new AbortController());
  useEffect(() => () => settling.current.abort(), []);
  useEffect(() => {
    if (text === known.current) return;
    known.current = text;
    shown.current = text;
    view.value = viewOfText(text, frame) ?? frame.whole;
  }, [text]);
  useEffect(() => {
    view.value = viewOfText(shown.current, frame) ?? frame.whole;
    let isFirst = true;
    const unsubscribe = view.subscribe((next) => {
      // It hears of the present view at once.
      if (isFirst) {
        isFirst = false;
        return;
      }
      shown.current = viewText(next, frame);
      settling.current.abort();
      settling.current = new AbortController();
      systemClock.sleep(SETTLED_MS, settling.current.signal).then(
        () => {
          known.current = shown.current;
          write.current(shown.current);
        },
        () => undefined,
      );
    });
    return unsubscribe;
  }, [frame]);
  return { view, whole: frame.whole };
}
