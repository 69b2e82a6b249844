/**
 * A segment of which nothing is in memory at first, and nothing stays there from one look at it to
 * the next: what a view may not rely on, it does not find.
 */

import { assert } from "../../../src/base/assert.ts";
import type { ArenaBytes } from "../../../src/kernel/arena.ts";
import type { Column } from "../../../src/model/columns.ts";
import type { ByteSource } from "../../../src/segment/format/byte-source.ts";
import {
  BytesMissing,
  missedBy,
  type ReadRequest,
  type WantedRange,
} from "../../../src/segment/format/bytes-missing.ts";
import type { ReadingSteps } from "../../../src/segment/format/reading-steps.ts";
import type { SegmentMemory } from "../../../src/segment/format/segment-memory.ts";
import { OrdinalList } from "../../../src/segment/postings/ordinal-list.ts";
import type { OpenSegment } from "../../../src/segment/segment-reader.ts";
import { Frequencies } from "../../../src/segment/text/frequencies.ts";
import type {
  ColumnView,
  DictionaryView,
  SegmentView,
  VectorPlace,
} from "../../../src/segment/view/segment-view.ts";
import type { ObjectKey } from "../../../src/storage/object-store.ts";
import { ordinalListOf } from "./ordinal-list-of.ts";
import { ordinalsOf } from "./plain-postings.ts";

/** Bytes of a chunk: few, so that vectors of small segments are in several. */
const CHUNK_BYTES = 256;
/** Places are congruent to where they are in the segment modulo this. */
const ALIGNMENT = 64;
/** What one look may take: a directory of sections, what it leads to, and that of documents. */
const ROUNDS_MAX = 3;

interface LoadedRange extends ArenaBytes {
  readonly start: number;
  readonly end: number;
  readonly allocated: ArenaBytes;
}

/** The content of a segment, only ranges of which are in memory. */
export class RemoteSource implements ByteSource {
  readonly chunkBytes = CHUNK_BYTES;
  /** No range brings another one. */
  readonly windowBytes = 1;
  readonly #content: Uint8Array;
  readonly #memory: SegmentMemory;
  readonly #object: ObjectKey;
  #loaded: LoadedRange[] = [];
  #epoch = 0;
  #rounds = 0;
  #bytesLoaded = 0;

  /** Ranges are loaded to `memory`. */
  constructor(content: Uint8Array, memory: SegmentMemory, object = "far" as ObjectKey) {
    this.#content = content;
    this.#memory = memory;
    this.#object = object;
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** How often something was loaded since the beginning. */
  get rounds(): number {
    return this.#rounds;
  }

  /** Bytes that were loaded since the beginning, again and again where they were dropped. */
  get bytesLoaded(): number {
    return this.#bytesLoaded;
  }

  place(start: number, end: number): ArenaBytes {
    const found = this.peek(start, end);
    if (found === undefined) throw new BytesMissing([{ object: this.#object, start, end }]);
    return found;
  }

  peek(start: number, end: number): ArenaBytes | undefined {
    assert(0 <= start && start <= end && end <= this.#content.length, `bytes ${start} to ${end}`);
    const range = this.#loaded.find((known) => known.start <= start && end <= known.end);
    if (range === undefined) return undefined;
    const from = start - range.start;
    const bytes = range.bytes.subarray(from, from + end - start);
    return { arena: range.arena, offset: range.offset + from, bytes };
  }

  /** Runs code that may throw `BytesMissing` until it does not. */
  run<T>(attempt: () => T): T {
    return runRemote([this], attempt, ROUNDS_MAX);
  }

  /** Loads what is wanted of this segment. */
  load(wanted: readonly WantedRange[]): void {
    const missing = wanted.filter(({ object, start, end }) => {
      return object === this.#object && this.peek(start, end) === undefined;
    });
    if (missing.length > 0) this.#rounds++;
    for (const { start, end } of missing) {
      if (this.peek(start, end) === undefined) this.#load(start, end);
    }
  }

  /** Makes all memory that was given out unreadable. */
  drop(): void {
    for (const { bytes, allocated } of this.#loaded) {
      bytes.fill(0xee);
      const { arena, offset } = allocated;
      this.#memory.free({ arena, offset, bytes: allocated.bytes.length });
    }
    this.#loaded = [];
    this.#epoch++;
  }

  #load(start: number, end: number): void {
    const from = start % ALIGNMENT;
    const allocated = this.#memory.allocate(from + end - start);
    const bytes = allocated.bytes.subarray(from, from + end - start);
    bytes.set(this.#content.subarray(start, end));
    this.#bytesLoaded += bytes.length;
    const { arena, offset } = allocated;
    this.#loaded.push({ start, end, arena, offset: offset + from, bytes, allocated });
  }
}

/** Loads a request of the code that `runRemote` runs now; undefined while none runs. */
let serve: ((request: ReadRequest) => void) | undefined;

/**
 * Runs code over remote segments until nothing is missing, in at most so many rounds. Steps within
 * it that `runReads` runs continue where they were. Calls `waits` in each round.
 */
export function runRemote<T>(
  sources: readonly RemoteSource[],
  attempt: () => T,
  roundsMax: number,
  waits?: () => void,
): T {
  let rounds = 0;
  const load = ({ wanted, transient }: ReadRequest): void => {
    assert(rounds++ < roundsMax, `more than ${roundsMax} rounds`);
    waits?.();
    for (const source of sources) source.load([...wanted, ...transient]);
  };
  const outer = serve;
  serve = load;
  try {
    for (;;) {
      try {
        return attempt();
      } catch (error) {
        load(missedBy(error));
      }
    }
  } finally {
    serve = outer;
  }
}

/** Runs all steps without a pause; the requests are loaded by the `runRemote` that it runs in. */
export function runReads<T>(steps: ReadingSteps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (value === undefined) continue;
    assert(serve !== undefined, "bytes are missing of segments in memory");
    serve(value);
  }
}

/**
 * A view of which each look begins at the segment, with nothing in memory, and gives copies.
 * Vectors stay where they were placed until the next look.
 */
export function remoteView(view: OpenSegment, source: RemoteSource): SegmentView {
  const look = <T>(read: () => T): T => {
    source.drop();
    return source.run(read);
  };
  return {
    id: view.id,
    documentCount: view.documentCount,
    bytes: view.bytes,
    get attributes() {
      return look(() => view.attributes);
    },
    get ids() {
      return look(() => copy(view.ids));
    },
    idOf: (ordinal) => look(() => view.idOf(ordinal)),
    ordinalOf: (id) => look(() => view.ordinalOf(id)),
    ordinalAt: (ids, index) => look(() => view.ordinalAt(ids, index)),
    column: (attribute) => remoteColumn(() => view.column(attribute), look),
    index: (index, attribute) => remoteIndex(() => view.index(index, attribute), look),
    hasIndex: (index, attribute) => view.hasIndex(index, attribute),
  };
}

type Look = <T>(read: () => T) => T;

function remoteColumn(open: () => ColumnView | undefined, look: Look): ColumnView | undefined {
  if (look(() => open() === undefined)) return undefined;
  const at = <T>(read: (column: ColumnView) => T) => look(() => read(found(open)));
  return {
    get column() {
      return at(({ column }) => copyColumn(column));
    },
    has: (ordinal) => at((column) => column.has(ordinal)),
    value: (ordinal) => at((column) => copy(column.value(ordinal))),
    place: (ordinal) =>
      at((column) => {
        const place = column.place(ordinal);
        return place && { ...place, column: copyColumn(place.column) };
      }),
    get dictionary() {
      return remoteDictionary(() => open()?.dictionary, look);
    },
    get vectors() {
      return remoteVectors(() => open()?.vectors, look);
    },
  };
}

function remoteDictionary(
  open: () => DictionaryView | undefined,
  look: Look,
): DictionaryView | undefined {
  if (look(() => open() === undefined)) return undefined;
  const at = <T>(read: (dictionary: DictionaryView) => T) => look(() => read(found(open)));
  return {
    size: at(({ size }) => size),
    value: (code) => at((dictionary) => dictionary.value(code)),
    lowerBound: (value) => at((dictionary) => dictionary.lowerBound(value)),
    codeOf: (value) => at((dictionary) => dictionary.codeOf(value)),
    codes: at(({ codes }) => codes.slice()),
  };
}

function remoteVectors(open: () => VectorPlace | undefined, look: Look): VectorPlace | undefined {
  if (look(() => open() === undefined)) return undefined;
  const { chunkRows, strideBytes, inverseNorms } = look(() => {
    const { inverseNorms: norms, ...rest } = found(open);
    return { ...rest, inverseNorms: norms.slice() };
  });
  const chunk = (index: number) => look(() => found(open).chunk(index));
  return { chunkRows, strideBytes, inverseNorms, chunk };
}

/** What an index shows: each member is read, and each of its functions called, by a look. */
function remoteIndex<View>(open: () => View | undefined, look: Look): View | undefined {
  const members = look(() => Object.entries(open() ?? {}));
  if (members.length === 0) return undefined;
  const now = (key: string) => (found(open) as Record<string, unknown>)[key];
  const far = members.map(([key, member]) => {
    if (hasFunctions(member)) return [key, remoteIndex(() => now(key), look)];
    if (typeof member !== "function") return [key, look(() => copy(now(key)))];
    return [key, (...given: unknown[]) => look(() => copy((now(key) as typeof member)(...given)))];
  });
  return Object.fromEntries(far);
}

function hasFunctions(member: unknown): boolean {
  if (typeof member !== "object" || member === null || ArrayBuffer.isView(member)) return false;
  return Object.values(member).some((part) => typeof part === "function");
}

function found<T>(open: () => T | undefined): T {
  const opened = open();
  assert(opened !== undefined, "what was there is gone");
  return opened;
}

/** The parts of a column, which may be computed when they are asked for. */
function copyColumn({ type, count, presence, data }: Column): Column {
  const copied = { type, count, data: copy(data) };
  return presence === undefined ? copied : { ...copied, presence: presence.slice() };
}

/** Copies typed arrays, and whatever posting lists, plain objects and lists hold. */
function copy<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof OrdinalList) {
    const ordinals = Uint32Array.from(ordinalsOf(value));
    return ordinalListOf(ordinals, (ordinals.at(-1) ?? 0) + 1) as T;
  }
  if (value instanceof Frequencies) {
    return new Frequencies(value.bytes.slice(), value.greatAt.slice(), value.greats.slice()) as T;
  }
  if (ArrayBuffer.isView(value)) return (value as unknown as Uint8Array).slice() as T;
  if (Array.isArray(value)) return value.map(copy) as T;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, copy(part)])) as T;
}
