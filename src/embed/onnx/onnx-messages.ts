/** What threads that embed say to the one that runs ONNX models, each over a port of its own. */

import type { ErrorCode } from "../../base/errors.ts";

/** To the thread with the models. */
export type ToOnnx =
  | {
      readonly kind: "embed";
      /** The asking side's number of the request. */
      readonly call: number;
      readonly model: string;
      readonly texts: readonly string[];
    }
  /** Nobody waits for the answer any more. */
  | { readonly kind: "cancel"; readonly call: number };

/** From it. */
export type FromOnnx =
  | {
      readonly kind: "embedded";
      readonly call: number;
      /** One for each text, in order. */
      readonly vectors: readonly Float32Array<ArrayBuffer>[];
      readonly tokens: number;
    }
  | {
      readonly kind: "failed";
      readonly call: number;
      readonly code: ErrorCode;
      readonly message: string;
      readonly retryAfterMs?: number;
    };

/** The asking side's end of a port. */
export interface OnnxPort {
  postMessage(message: ToOnnx): void;
  on(event: "message", listener: (message: FromOnnx) => void): unknown;
}

/** A model that is loaded and was tried. */
export interface OnnxModelInfo {
  /** By which schemas know it. */
  readonly name: string;
  readonly dimensions: number;
}
