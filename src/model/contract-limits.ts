/**
 * What users may ask for: the limits of the wire contract, each with its origin, and ours where the
 * contract leaves one to the server. Bounds of the machinery stand beside what they bound.
 */

import { GIB, KIB, MIB } from "../base/byte-sizes.ts";

/** Decompressed body of a write (contract: 512 MB; binary megabytes, the laxer reading). */
export const WRITE_BODY_BYTES_MAX = 512 * MIB;
/** Body of any request that is not a write; our choice: 16 subqueries of vectors. */
export const QUERY_BODY_BYTES_MAX = 64 * MIB;
/** One document with all its attributes (contract). */
export const DOCUMENT_BYTES_MAX = 64 * MIB;
/** One attribute value; arrays as a whole (contract). */
export const ATTRIBUTE_VALUE_BYTES_MAX = 8 * MIB;
/** Elements of one array; our choice: 8 MiB of integers, since short strings cost more than bytes. */
export const ARRAY_ELEMENTS_MAX = 1_048_576;
/** Elements of an array that `$ref_new` names; our choice: each document binds a list of its own. */
export const REFERENCE_ELEMENTS_MAX = 65_536;
/** One filterable value; arrays per element (contract). */
export const FILTERABLE_VALUE_BYTES_MAX = 4 * KIB;
/** A string document id (contract). */
export const ID_BYTES_MAX = 64;
/** An attribute's name (contract: documented in bytes, the specification says characters). */
export const ATTRIBUTE_NAME_CHARS_MAX = 128;
/** Attribute names of one namespace (contract). */
export const ATTRIBUTE_COUNT_MAX = 1024;
/** Non-zero entries of a sparse vector, in documents and queries (contract). */
export const SPARSE_ENTRIES_MAX = 1024;
/** Dense and multi vector attributes of a namespace (contract). */
export const VECTOR_ATTRIBUTES_MAX = 8;
/** Attributes with native embedding in a namespace (contract). */
export const EMBEDDED_ATTRIBUTES_MAX = 4;
/** Rows of one write that embeds (contract). */
export const EMBEDDED_ROWS_MAX = 30;
/** `Embed` clauses of one request (contract). */
export const EMBED_CLAUSES_MAX = 16;
/** `limit.total`, and groups of an aggregation (contract). */
export const RESULT_ROWS_MAX = 10_000;
/** Exclusive bound of limit + offset (specification). */
export const RESULT_WINDOW_END = 10_000;
/** Aggregate functions of a query (contract). */
export const AGGREGATES_MAX = 8;
/**
 * Attributes in `group_by`, and in `limit.per.attributes`; our choice: each document is looked up
 * by all of them, and a thousand take .4 s for 4,096 documents.
 */
export const GROUP_ATTRIBUTES_MAX = 64;
/** Attributes in `rank_by` ordering (contract). */
export const ORDER_BY_MAX = 8;
/** Subqueries of a multi-query (contract). */
export const SUBQUERIES_MAX = 16;
/** Documents that a model reranks in one request; our choice: each costs a run of the model. */
export const RERANK_DOCUMENTS_MAX = 1000;
/** Entries of `compute_attributes` (contract). */
export const COMPUTED_ATTRIBUTES_MAX = 256;
/**
 * A name that a query gives to a member of its answer; our choice, since each document or group
 * repeats it: those of 256 computed attributes are as long as 1,024 attributes' names at most.
 */
export const RESULT_NAME_CHARS_MAX = 512;
/** `fragment_limit` of a highlight (contract). */
export const HIGHLIGHT_FRAGMENTS_MAX = 1024;
/** Default of `fragment_limit` (contract). */
export const HIGHLIGHT_FRAGMENTS_DEFAULT = 3;
/** Characters of a full-text query (contract). */
export const TEXT_QUERY_CHARS_MAX = 8192;
/** A glob, regular expression or fuzzy text, in UTF-16 units; our choice: two filterable values. */
export const PATTERN_CHARS_MAX = 8192;
/**
 * Size of all patterns of a request together; our choice: 0.7 MiB of instructions that are compiled
 * in some 20 ms. A character counts as often as it is repeated, each range of a class once.
 */
export const PATTERN_SIZE_MAX = 50_000;
/** Documents that one `delete_by_filter` changes (contract). */
export const DELETE_BY_FILTER_MAX = 5_000_000;
/** Documents that one `patch_by_filter` changes (contract). */
export const PATCH_BY_FILTER_MAX = 50_000;
/** Shards of a namespace (contract). */
export const SHARDS_MAX = 256;
/** How old what an eventual query sees may be, unless it says so itself (contract). */
export const STALENESS_SECONDS_DEFAULT = 60;
/** How old it may be at most; our choice: a day. */
export const STALENESS_SECONDS_MAX = 86_400;
/** Slots for concurrent queries of one namespace (contract). */
export const QUERY_SLOTS = 16;
/** How long a query waits for a slot before it gets 429 (contract). */
export const QUERY_SLOT_WAIT_MS_MAX = 800;
/** Smallest billed query (specification: 1.28 GB). */
export const BILLED_QUERY_BYTES_MIN = 1_280_000_000;
/** Unindexed bytes above which writes get 429 (contract). */
export const UNINDEXED_BYTES_MAX = 2 * GIB;
/** `page_size` of the namespace listing (contract). */
export const LIST_PAGE_SIZE_MAX = 1000;
/** Default of `page_size` (contract). */
export const LIST_PAGE_SIZE_DEFAULT = 100;
/** How long the result of an asynchronous operation is kept (contract: one hour). */
export const OPERATION_RESULT_MS = 3_600_000;
/** Edits that a fuzzy match may need (contract). */
export const FUZZY_DISTANCE_MAX = 2;
