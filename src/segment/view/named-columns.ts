/**
 * Segments as queries see them: by the names of attributes, where columns are called otherwise
 * (model/stored-columns.ts). Where none is, the segments themselves.
 */

import type { Ordinal, SegmentId } from "../../base/ids.ts";
import type { ColumnData } from "../../model/columns.ts";
import type { Schema } from "../../model/schema.ts";
import type { DocumentId } from "../../model/value.ts";
import type { CountedDeletions } from "../deletions/counted-deletions.ts";
import type { AttributeIndex } from "./attribute-index.ts";
import type { HashedIds } from "./id-keys.ts";
import type { ColumnView, SegmentSnapshot, SegmentView } from "./segment-view.ts";

/** Columns by the attributes that are not called as they are. */
interface ColumnNames {
  readonly columns: ReadonlyMap<string, string>;
  /** The same in few words: schemas with one text name columns alike. */
  readonly text: string;
}

const names = new WeakMap<Schema, ColumnNames | undefined>();
const views = new WeakMap<SegmentView, NamedView>();
const lists = new WeakMap<
  readonly SegmentSnapshot[],
  { readonly text: string; readonly named: readonly SegmentSnapshot[] }
>();

/** The segments of a namespace by its schema. Gives the same objects for the same segments. */
export function nameSegments(
  segments: readonly SegmentSnapshot[],
  schema: Schema,
): readonly SegmentSnapshot[] {
  const by = namesOf(schema);
  if (by === undefined) return segments;
  const known = lists.get(segments);
  if (known?.text === by.text) return known.named;
  const named = segments.map((segment) => new NamedSegment(segment, namedBy(segment.view, by)));
  lists.set(segments, { text: by.text, named });
  return named;
}

/** One segment of them. */
export function nameView(view: SegmentView, schema: Schema): SegmentView {
  const by = namesOf(schema);
  return by === undefined ? view : namedBy(view, by);
}

function namesOf(schema: Schema): ColumnNames | undefined {
  if (schema.dropCount === undefined) return undefined;
  if (names.has(schema)) return names.get(schema);
  const columns = new Map<string, string>();
  for (const [name, { column }] of schema.attributes) if (column) columns.set(name, column);
  const made = columns.size === 0 ? undefined : { columns, text: JSON.stringify([...columns]) };
  names.set(schema, made);
  return made;
}

/** Kept beside the segment, since others keep what they know of a view beside that. */
function namedBy(view: SegmentView, by: ColumnNames): NamedView {
  const known = views.get(view);
  if (known?.text === by.text) return known;
  const named = new NamedView(view, by);
  views.set(view, named);
  return named;
}

/** Follows what becomes of the documents. */
class NamedSegment implements SegmentSnapshot {
  readonly view: NamedView;
  readonly #segment: SegmentSnapshot;

  constructor(segment: SegmentSnapshot, view: NamedView) {
    this.#segment = segment;
    this.view = view;
  }

  get liveBitmap(): Uint32Array {
    return this.#segment.liveBitmap;
  }

  get liveCount(): number {
    return this.#segment.liveCount;
  }

  get liveVersion(): number {
    return this.#segment.liveVersion;
  }

  get counted(): CountedDeletions | undefined {
    const { counted } = this.#segment;
    return counted && this.view.nameCounted(counted);
  }
}

class NamedView implements SegmentView {
  readonly id: SegmentId;
  readonly documentCount: number;
  readonly bytes: number;
  readonly text: string;
  readonly #view: SegmentView;
  readonly #columns: ReadonlyMap<string, string>;

  constructor(view: SegmentView, { columns, text }: ColumnNames) {
    this.id = view.id;
    this.documentCount = view.documentCount;
    this.bytes = view.bytes;
    this.text = text;
    this.#view = view;
    this.#columns = columns;
  }

  /** Counts by attributes, of which only the column of one is counted under its name. */
  nameCounted({ liveBitmap, terms }: CountedDeletions): CountedDeletions {
    const named = new Map(terms);
    for (const [name, column] of this.#columns) {
      const counts = terms.get(column);
      if (counts === undefined) named.delete(name);
      else named.set(name, counts);
    }
    return { liveBitmap, terms: named };
  }

  get attributes(): readonly string[] {
    const owners = new Map([...this.#columns].map(([name, column]) => [column, name]));
    return this.#view.attributes.flatMap((column) => {
      const name = owners.get(column);
      if (name !== undefined) return [name];
      return this.#columns.has(column) ? [] : [column];
    });
  }

  get ids(): ColumnData {
    return this.#view.ids;
  }

  idOf(ordinal: Ordinal): DocumentId {
    return this.#view.idOf(ordinal);
  }

  ordinalOf(id: DocumentId): Ordinal | undefined {
    return this.#view.ordinalOf(id);
  }

  ordinalAt(ids: HashedIds, index: number): Ordinal | undefined {
    return this.#view.ordinalAt(ids, index);
  }

  column(attribute: string): ColumnView | undefined {
    return this.#view.column(this.#columnOf(attribute));
  }

  index<View>(index: Pick<AttributeIndex<View>, "open">, attribute: string): View | undefined {
    return this.#view.index(index, this.#columnOf(attribute));
  }

  hasIndex(index: Pick<AttributeIndex, "sections">, attribute: string): boolean {
    return this.#view.hasIndex(index, this.#columnOf(attribute));
  }

  #columnOf(attribute: string): string {
    return this.#columns.get(attribute) ?? attribute;
  }
}
