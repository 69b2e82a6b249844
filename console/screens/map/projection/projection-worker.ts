/** A worker that keeps the vectors of a map and projects them. */

import { type Projected, Projection } from "./projection.ts";

/** What it is told; the first message opens it. */
export type ProjectionOrder =
  | { readonly kind: "open"; readonly dims: number }
  | { readonly kind: "add"; readonly vectors: Float32Array }
  | { readonly kind: "project"; readonly axes: number; readonly order: number };

/** The answer to an order to project. */
export interface ProjectionAnswer {
  readonly order: number;
  readonly projected: Projected;
}

let projection: Projection | undefined;

addEventListener("message", ({ data }: MessageEvent<ProjectionOrder>) => {
  if (data.kind === "open") projection = new Projection(data.dims);
  else if (data.kind === "add") projection?.add(data.vectors);
  else if (projection !== undefined) {
    const projected = projection.project(data.axes);
    const answer: ProjectionAnswer = { order: data.order, projected };
    postMessage(answer, { transfer: [projected.coordinates.buffer] });
  }
});
