/** A worker that runs UMAP, so that the page stays quick and may stop it. */

import { seededRandom } from "../../../../src/base/random.ts";
import { runUmap } from "./umap-run.ts";

/** What it is given. */
export interface UmapOrder {
  readonly coordinates: Float32Array;
  readonly axes: number;
}

/** What it tells. */
export type UmapReport =
  | { readonly kind: "neighbours"; readonly distances: number }
  | {
      readonly kind: "epoch";
      readonly epoch: number;
      readonly epochs: number;
      /** Now and then, to be shown while the map takes shape. */
      readonly positions: Float32Array | undefined;
    }
  | { readonly kind: "done"; readonly positions: Float32Array }
  | { readonly kind: "failed"; readonly message: string };

/** Epochs between two maps that are shown. */
const EPOCHS_SHOWN = 10;

function tell(report: UmapReport): void {
  postMessage(report);
}

addEventListener("message", ({ data }: MessageEvent<UmapOrder>) => {
  try {
    const positions = runUmap(data.coordinates, data.axes, {
      random: seededRandom(1),
      onDistances: (distances) => tell({ kind: "neighbours", distances }),
      onEpoch: (epoch, epochs, now) => {
        const isShown = epoch % EPOCHS_SHOWN === 0 && epoch < epochs;
        tell({ kind: "epoch", epoch, epochs, positions: isShown ? now() : undefined });
      },
    });
    tell({ kind: "done", positions });
  } catch (error) {
    tell({ kind: "failed", message: (error as Error).message });
  }
});
