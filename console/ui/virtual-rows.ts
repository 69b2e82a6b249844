/** Which rows of a long list are in sight: the virtual list as a hook. */

import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type VirtualItem,
  Virtualizer,
} from "@tanstack/virtual-core";
import type { RefObject } from "preact";
import { useLayoutEffect, useReducer, useState } from "preact/hooks";

/** Rows beyond what is seen that are rendered, so that scrolling shows no gaps. */
const OVERSCAN = 8;

/** What is to be rendered of a list. */
export interface VirtualRows {
  readonly items: readonly VirtualItem[];
  /** Pixels of all rows together. */
  readonly totalSize: number;
}

/** Follows the scrolling of `scroller`, in which `count` rows have `rowHeight` pixels each. */
export function useVirtualRows(
  scroller: RefObject<HTMLElement | null>,
  { count, rowHeight }: { readonly count: number; readonly rowHeight: number },
): VirtualRows {
  const [, render] = useReducer((turn: number, _: undefined) => turn + 1, 0);
  const [virtualizer] = useState(
    () =>
      new Virtualizer<HTMLElement, HTMLElement>({
        count,
        getScrollElement: () => scroller.current,
        estimateSize: () => rowHeight,
        overscan: OVERSCAN,
        scrollToFn: elementScroll,
        observeElementRect,
        observeElementOffset,
        onChange: () => render(undefined),
      }),
  );
  virtualizer.setOptions({ ...virtualizer.options, count, estimateSize: () => rowHeight });
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  return { items: virtualizer.getVirtualItems(), totalSize: virtualizer.getTotalSize() };
}
