/**
 * Documents as calls take and return them. `Document` is the program's own type of a document;
 * `unknown`, the default, leaves documents unchecked.
 */

/** A document's id: an unsigned integer, a UUID, or another text of at most 64 bytes. */
export type DocumentId = string | number;

/** A document: its id, and its attributes by name. A vector is an array of numbers or base64. */
export interface Row {
  readonly id: DocumentId;
  readonly [attribute: string]: unknown;
}

/** Documents by columns: for each attribute the values of all documents, in the order of `id`. */
export interface Columns {
  readonly id: readonly DocumentId[];
  readonly [attribute: string]: readonly unknown[];
}

/** A document that was found: its id, its score or distance, and the attributes that were asked. */
export interface FoundRow {
  readonly id: DocumentId;
  readonly $dist?: number;
  readonly vector?: readonly number[] | string;
  readonly [attribute: string]: unknown;
}

/** Type of the documents' ids. */
export type IdOf<Document> = Document extends { readonly id: infer Id extends DocumentId }
  ? Id
  : DocumentId;

/** Names of the attributes, `id` included. */
export type AttributeOf<Document> = unknown extends Document ? string : keyof Document & string;

/** A document that is upserted. */
export type RowOf<Document> = unknown extends Document
  ? Row
  : Document & { readonly id: IdOf<Document> };

/** Values of some attributes; null removes a value. */
export type ValuesOf<Document> = unknown extends Document
  ? Readonly<Record<string, unknown>>
  : { readonly [Name in keyof Document as Exclude<Name, "id">]?: Document[Name] | null };

/** A document that is patched. */
export type PatchOf<Document> = unknown extends Document
  ? Row
  : { readonly id: IdOf<Document> } & ValuesOf<Document>;

/** Documents that are upserted, by columns; null stands for an optional value that is missing. */
export type ColumnsOf<Document> = unknown extends Document
  ? Columns
  : { readonly id: readonly IdOf<Document>[] } & {
      readonly [Name in keyof Document as Exclude<Name, "id">]: readonly (
        | Exclude<Document[Name], undefined>
        | (undefined extends Document[Name] ? null : never)
      )[];
    };

/** Documents that are patched, by columns. */
export type PatchColumnsOf<Document> = unknown extends Document
  ? Columns
  : { readonly id: readonly IdOf<Document>[] } & {
      readonly [Name in keyof Document as Exclude<Name, "id">]?: readonly (Document[Name] | null)[];
    };

/** A document that was found; it has the attributes that were asked for and have values. */
export type FoundRowOf<Document> = unknown extends Document
  ? FoundRow
  : { readonly id: IdOf<Document>; readonly $dist?: number } & {
      readonly [Name in keyof Document as Exclude<Name, "id">]?: Document[Name] | null;
    };
