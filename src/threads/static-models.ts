/** The static embedding models of a server, within their share of its memory. */

import type { EngineConfig } from "../api/config.ts";
import { sizeText } from "../base/amount-text.ts";
import { invalid } from "../base/errors.ts";
import { type ModelFolder, readModelFolder } from "../embed/static/model-folder.ts";
import { STATIC_ENGLISH, STATIC_ENGLISH_THREAD_BYTES } from "../embed/static/static-english.ts";

/** Share of the memory limit that all static models together may take; our choice. */
const STATIC_MODEL_MEMORY_SHARE = 0.25;

/** The models that were read. */
export interface StaticModels {
  readonly folders: readonly ModelFolder[];
  /** Why `trawl/static-en` has no room, and what to do; absent: it has. */
  readonly ownRefusal?: string;
  /** What all of them take once every thread embeds with each; an upper bound. */
  readonly plannedBytes: number;
  /** What they may take. */
  readonly bytesMax: number;
}

/**
 * Reads the folders; a bad one is told here, and not by the first request. Throws `invalid` for one
 * that is not whole, or that has no room beside those before it. The model that ships with Trawl
 * goes last: nobody has asked for it, so that a server starts without it, and its log says so.
 */
export async function readStaticModels({
  staticModels,
  memoryBytesMax,
  queryThreads,
  log,
}: Pick<
  EngineConfig,
  "staticModels" | "memoryBytesMax" | "queryThreads" | "log"
>): Promise<StaticModels> {
  // Query threads embed, and so do the write thread and the main one.
  const room = new ModelRoom({ memoryBytesMax, threads: queryThreads + 2 });
  const folders: ModelFolder[] = [];
  for (const { name, path } of staticModels) {
    const checkSize = (bytes: number) => room.check(`${name} (${path})`, bytes);
    const folder = await readModelFolder({ name, path, checkSize });
    room.take(`${name} (${path})`, folder);
    folders.push(folder);
  }
  const own = { sharedBytes: 0, threadBytes: STATIC_ENGLISH_THREAD_BYTES };
  const ownRefusal = room.refusalOf(STATIC_ENGLISH, room.bytesOf(own));
  if (ownRefusal === undefined) room.take(STATIC_ENGLISH, own);
  else log("warn", "requests with trawl/static-en are refused", { reason: ownRefusal });
  return {
    folders,
    ...(ownRefusal !== undefined && { ownRefusal }),
    plannedBytes: room.takenBytes,
    bytesMax: room.bytesMax,
  };
}

/** What a model takes: shared by all threads, and in each. */
type ModelSizes = Pick<ModelFolder, "sharedBytes" | "threadBytes">;

/** Gives models their memory, one after the other. */
class ModelRoom {
  readonly bytesMax: number;
  takenBytes = 0;
  readonly #threads: number;
  readonly #memoryBytesMax: number;

  constructor({ memoryBytesMax, threads }: { memoryBytesMax: number; threads: number }) {
    this.bytesMax = Math.floor(memoryBytesMax * STATIC_MODEL_MEMORY_SHARE);
    this.#threads = threads;
    this.#memoryBytesMax = memoryBytesMax;
  }

  bytesOf({ sharedBytes, threadBytes }: ModelSizes): number {
    return sharedBytes + threadBytes * this.#threads;
  }

  take(model: string, sizes: ModelSizes): void {
    const bytes = this.bytesOf(sizes);
    this.check(model, bytes);
    this.takenBytes += bytes;
  }

  /** Throws `invalid` for a model that has no room. */
  check(model: string, bytes: number): void {
    const refusal = this.refusalOf(model, bytes);
    if (refusal !== undefined) throw invalid(refusal);
  }

  /** Why a model has no room, and what to do; undefined: it has. */
  refusalOf(model: string, bytes: number): string | undefined {
    const neededBytes = this.takenBytes + bytes;
    if (neededBytes <= this.bytesMax) return undefined;
    const limit = sizeText(this.#memoryBytesMax);
    const beside = this.takenBytes === 0 ? "" : `, and others have ${sizeText(this.takenBytes)}`;
    const share = `${100 * STATIC_MODEL_MEMORY_SHARE} %`;
    const enough = sizeText(Math.ceil(neededBytes / STATIC_MODEL_MEMORY_SHARE));
    return (
      `static model ${model} takes ${sizeText(bytes)}${beside}; static models ` +
      `may have ${sizeText(this.bytesMax)}, ${share} of --memory-limit (${limit}): raise it to ` +
      `${enough}, lower --query-threads (now ${this.#threads - 2}), or leave a model out of ` +
      "--static-models"
    );
  }
}
