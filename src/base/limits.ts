/**
 * Every bound of the system, with unit and origin; those of reading a far store are in
 * far-store-limits.ts. "contract" is the wire contract.
 */

const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;

/** Decompressed body of a write (contract: 512 MB; binary megabytes, the laxer reading). */
export const WRITE_BODY_BYTES_MAX = 512 * MIB;
/** Body of any request that is not a write; our choice: 16 subqueries of vectors. */
export const QUERY_BODY_BYTES_MAX = 64 * MIB;
/** Nesting of arrays and objects in a body; our choice, far above any legal request. */
export const JSON_DEPTH_MAX = 64;
/** One document with all its attributes (contract). */
export const DOCUMENT_BYTES_MAX = 64 * MIB;
/** One attribute value; arrays as a whole (contract). */
export const ATTRIBUTE_VALUE_BYTES_MAX = 8 * MIB;
/** One filterable value; arrays per element (contract). */
export const FILTERABLE_VALUE_BYTES_MAX = 4 * KIB;
/** A string document id (contract). */
export const ID_BYTES_MAX = 64;
/** An attribute's name (contract: documented in bytes, the specification says characters). */
export const ATTRIBUTE_NAME_CHARS_MAX = 128;
/** Attribute names of one namespace (contract). */
export const ATTRIBUTE_COUNT_MAX = 1024;
/** Dimensions of a dense vector (contract). */
export const VECTOR_DIMENSIONS_MAX = 10_752;
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
/** Attributes in `rank_by` ordering (contract). */
export const ORDER_BY_MAX = 8;
/** Subqueries of a multi-query (contract). */
export const SUBQUERIES_MAX = 16;
/** Entries of `compute_attributes` (contract). */
export const COMPUTED_ATTRIBUTES_MAX = 256;
/** `fragment_limit` of a highlight (contract). */
export const HIGHLIGHT_FRAGMENTS_MAX = 1024;
/** Default of `fragment_limit` (contract). */
export const HIGHLIGHT_FRAGMENTS_DEFAULT = 3;
/** Characters of a full-text query (contract). */
export const TEXT_QUERY_CHARS_MAX = 8192;
/** Documents that one `delete_by_filter` changes (contract). */
export const DELETE_BY_FILTER_MAX = 5_000_000;
/** Documents that one `patch_by_filter` changes (contract). */
export const PATCH_BY_FILTER_MAX = 50_000;
/** Shards of a namespace (contract). */
export const SHARDS_MAX = 256;
/** Nesting and node count of filter and rank expressions; our choice, bounds recursion. */
export const EXPRESSION_DEPTH_MAX = 32;
/** Nodes of one filter or rank expression; our choice. */
export const EXPRESSION_NODES_MAX = 65_536;
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
/** Serialized bytes of one WAL entry's batches before the next entry starts; bounds memory. */
export const WAL_ENTRY_BYTES_MAX = 640 * MIB;
/** One object in the store; bounds what a reader must be ready to hold. */
export const OBJECT_BYTES_MAX = 1 * GIB;
/** Asynchronous operations remembered at once, running or finished; our choice. */
export const OPERATIONS_MAX = 10_000;
/** How long a request that may be answered asynchronously is given to finish first; our choice. */
export const OPERATION_SYNCHRONOUS_MS = 2_000;
/** Queries sent to the query threads and not yet answered, over all namespaces; our choice. */
export const QUERIES_IN_FLIGHT_MAX = 1024;
/** Body bytes of one write that may wait for the write thread before the sender is paused. */
export const WRITE_BODY_WINDOW_BYTES = 4 * MIB;
/** Body bytes that are joined to one message for the write thread. */
export const BODY_PIECE_BYTES = 256 * KIB;
/** Pieces kept to be filled again: two bodies' windows. */
export const BODY_PIECES_SPARE_MAX = 32;
/** Deltas kept for a query thread that lags behind before it gets the whole state again. */
export const PENDING_DELTAS_MAX = 1024;
/** One write call to a file; larger bodies take several. Our choice: frees I/O threads soon. */
export const FILE_WRITE_BYTES_MAX = 16 * MIB;
/** Directories that a store remembers as durable; beyond that it forgets and syncs again. */
export const DURABLE_DIRECTORIES_MAX = 100_000;
/** Age above which a staged file of an unknown process is removed; no put takes that long. */
export const STAGED_FILE_AGE_MS_MAX = 3_600_000;
/** How often the owner of a data directory touches its lock file. */
export const LOCK_BEAT_MS = 2_000;
/** How long a lock file must stay untouched before an unknown owner counts as gone: 3 beats. */
export const LOCK_SILENCE_MS = 3 * LOCK_BEAT_MS;
/** How long the owner of a data directory has to tell its name to a server that asks. */
export const LOCK_ANSWER_MS_MAX = 1_000;
/** Contenders for a data directory that one acquisition gives way to before it gives up. */
export const LOCK_ATTEMPTS_MAX = 8;
/** Tries of one request to the object store, the first included. */
export const STORE_ATTEMPTS_MAX = 5;
/** Wait before the second try of a request to the object store; doubles with each further one. */
export const STORE_RETRY_MS_MIN = 50;
/** Longest wait between two tries of a request to the object store. */
export const STORE_RETRY_MS_MAX = 2_000;
/** Connections of one thread to a bucket: as many as the cache has reads under way. */
export const S3_SOCKETS_MAX = 64;
/** Time for a connection to a bucket's server to stand; far regions take 0.5 s. */
export const S3_CONNECT_MS_MAX = 5_000;
/** Time for an answer to begin after its request was sent, with one body's usual sending. */
export const S3_ANSWER_MS_MAX = 30_000;
/** Slowest sending of a larger body that gets more time: 1 MiB each second. */
export const S3_UPLOAD_BYTES_PER_MS_MIN = MIB / 1_000;
/** Time that a connection with a request may be silent in both directions. */
export const S3_SILENCE_MS_MAX = 20_000;
/** Bodies up to here are sent as one array; conditional ones above are streamed. */
export const S3_BUFFERED_BYTES_MAX = 16 * MIB;
/** Bytes of a streamed body that are hashed at once: some milliseconds of a thread. */
export const S3_HASH_BYTES = 4 * MIB;
/** One part of a multipart upload; S3 allows 5 MiB to 5 GiB, and 10,000 of them. */
export const S3_PART_BYTES = 16 * MIB;
/** Parts of one upload under way at once; each holds a copy of its bytes. */
export const S3_PARTS_PARALLEL_MAX = 4;
/** Prefix of all keys in a bucket: S3 allows keys of 1,024 bytes, and ours take up to 350. */
export const STORE_PREFIX_CHARS_MAX = 512;
/** Entries of one page of a bucket's listing (S3's own limit). */
export const S3_PAGE_ENTRIES_MAX = 1_000;
/** Conditional puts that race in one round of the probe at the start. */
export const STORE_PROBE_RACERS = 16;
/** Rounds of that race; stores that check first and write later fail in most rounds. */
export const STORE_PROBE_ROUNDS = 3;
/** Tries to see the conflict of a put that must lose, while the store fails. */
export const STORE_PROBE_ATTEMPTS_MAX = 5;
/** Longest name of a customer-managed key; it must fit the head of an encrypted object. */
export const KEY_NAME_BYTES_MAX = 256;
/** Longest wrapped data key that a key service may return; cloud services stay under 600. */
export const WRAPPED_KEY_BYTES_MAX = 700;
/** Time for a client to send a request's headers; Node's default is a minute, attackers' choice. */
export const HEADERS_MS_MAX = 20_000;
/** Time for a whole request to arrive; 512 MB at 5 Mbit/s take 14 minutes. */
export const REQUEST_MS_MAX = 900_000;
/** An idle connection is kept this long: longer than the 60 s for which clients reuse it. */
export const KEEP_ALIVE_MS = 75_000;
/** How long a body may stay below `BODY_PROGRESS_BYTES_MIN` while the server waits for it. */
export const BODY_STALL_MS_MAX = 30_000;
/** Bytes that count as progress of a body; a client that drips less is cut off. */
export const BODY_PROGRESS_BYTES_MIN = 1024;
/** How long the rest of a body is still read, and thrown away, after its request was answered. */
export const BODY_DISCARD_MS_MAX = 10_000;
/** How often bodies are checked for progress. */
export const BODY_SWEEP_MS = 1000;
/** Open connections; each costs some 20 KiB, so this is 200 MiB at worst. */
export const CONNECTIONS_MAX = 10_000;
/** Answers from this size on are compressed for clients that ask (contract: above 500 bytes). */
export const COMPRESSED_BODY_BYTES_MIN = 1024;
/** A client's own request id, in characters; a longer one is replaced. */
export const REQUEST_ID_CHARS_MAX = 128;
/** How long a stopping server waits for requests under way before it cuts their connections. */
export const DRAIN_MS_MAX = 30_000;
/** How often a stopping server closes the connections that have become idle. */
export const DRAIN_SWEEP_MS = 100;
/**
 * Signals that repeat sooner are one: a terminal's Ctrl-C reaches the server directly and once more
 * through each launcher in between.
 */
export const SIGNAL_REPEAT_MS = 500;
/** Greatest `max_token_length`, in code points (contract: 254). */
export const TOKEN_LENGTH_MAX = 254;
/** Tokens whose term an analyzer remembers; a power of two. About 6 MiB when full. */
export const TERM_CACHE_ENTRIES = 1 << 16;
/** Longest token that an analyzer remembers, in UTF-16 units; words are shorter. */
export const TERM_CACHE_TOKEN_UNITS_MAX = 48;
/** Analyzers kept, one for each distinct set of options in use. */
export const ANALYZERS_MAX = 16;
/** Smaller payloads are never compressed: it takes longer than the bytes are worth. */
export const COMPRESS_BYTES_MIN = 4 * KIB;
/** Payload that is compressed in the calling thread, in about 0.1 ms; more goes to the pool. */
export const COMPRESS_INLINE_BYTES_MAX = 64 * KIB;
/** Bytes of WAL entries that a reader holds ahead of its caller. */
export const WAL_PREFETCH_BYTES_MAX = 64 * MIB;
/**
 * WAL entries that a reader has under way at once; hides the latency of a far store: a log of
 * `INDEX_TAIL_ENTRIES` takes 16 rounds.
 */
export const WAL_PREFETCH_ENTRIES_MAX = 64;
/** Tries to commit one WAL entry while the store's answers leave its fate open. */
export const WAL_PUT_ATTEMPTS_MAX = 6;
/**
 * Tries to copy a namespace while its segments are replaced by compactions; one takes as long as
 * seconds of indexing, a try some requests.
 */
export const COPY_ATTEMPTS_MAX = 8;
/** Tries to find the newest manifest while versions are collected under the reader. */
export const MANIFEST_LOAD_ATTEMPTS_MAX = 5;
/** Stored vectors that one recall measurement samples as queries; our choice. */
export const RECALL_SAMPLES_MAX = 10_000;
/** Edits that a fuzzy match may need (contract). */
export const FUZZY_DISTANCE_MAX = 2;
/** Glob, regular expression or fuzzy text, in UTF-16 units; twice a filterable value. */
export const PATTERN_CHARS_MAX = 8192;
/** Documents times attributes of one write; our choice: bounds what sparse documents cost. */
export const WRITE_CELLS_MAX = 100_000_000;
/** Bytes of one buffer that the vectors of a write's body share; our choice. */
export const FLOAT32_SLAB_BYTES = 1 * MIB;
/** Bytes of a body that one step of its parser takes at least; above what a step costs. */
export const PARSE_STEP_BYTES = 4 * KIB;
/** One arena of shared memory; address space, not memory, so larger than most machines need. */
export const ARENA_BYTES = 1 * GIB;
/** Greatest arena: what 32-bit addresses reach. */
export const ARENA_BYTES_MAX = 4 * GIB;
/** Rows that one kernel call scores: some 0.1 ms of work, so that a thread can look up between. */
export const SCAN_ROWS_MAX = 4096;
/** A thread's scratch memory per arena: query, row numbers and scores of one kernel call. */
export const SCRATCH_BYTES = 128 * KIB;
/** Bytes of documents that one segment in memory is built from; bounds the pause of one build. */
export const SEGMENT_BUILD_BYTES_MAX = 64 * MIB;
/** Bytes that one merge of segments in memory writes; bounds its pause. */
export const SEGMENT_MERGE_BYTES_MAX = 64 * MIB;
/**
 * Documents that one merge of segments in memory writes; bounds its pause. Measured at full size:
 * 115 ms of CPU for three scalars (128,000 documents), 160 ms for texts of 60 words (72,000, which
 * fill the bytes), 70 ms for vectors of 768 dimensions (21,600, likewise).
 */
export const SEGMENT_MERGE_DOCUMENTS_MAX = 131_072;
/** Segments of one size tier that are merged into one; also the ratio of two tiers' sizes. */
export const SEGMENT_TIER_FANOUT = 8;
/** Requests to one embedding model per minute (contract). */
export const EMBEDDING_REQUESTS_PER_MINUTE = 1024;
/** Tokens sent to one embedding model per minute (contract). */
export const EMBEDDING_TOKENS_PER_MINUTE = 2_000_000;
/** Texts of one request to an embedding service; our choice: above a write's and a query's. */
export const EMBEDDING_BATCH_TEXTS = 32;
/** Longest text sent to an embedding service, in UTF-16 units: about 8,192 tokens of English. */
export const EMBEDDING_TEXT_CHARS_MAX = 32_768;
/** How often a text that is too long for its model is halved before the request fails. */
export const EMBEDDING_HALVINGS_MAX = 5;
/** Answer of an embedding service; our choice: 32 vectors of 10,752 long decimals. */
export const EMBEDDING_ANSWER_BYTES_MAX = 16 * MIB;
/** How long one request to an embedding service may take. */
export const EMBEDDING_TIMEOUT_MS = 20_000;
/** Tries of one request to an embedding service that does not answer. */
export const EMBEDDING_ATTEMPTS_MAX = 3;
/** First wait between such tries; each next is twice as long. */
export const EMBEDDING_RETRY_MS_MIN = 200;
/** Documents up to which a new index is built before the write that asks for it answers. */
export const INDEX_INLINE_DOCUMENTS_MAX = 20_000;
/** When a query that needs an index in the making may try again; our choice. */
export const INDEX_BUILD_RETRY_MS = 500;
/** When a write that found no memory may try again; our choice. */
export const MEMORY_RETRY_MS = 5_000;
/** Bytes of requests that one group commit takes together; a larger request goes alone. */
export const COMMIT_GROUP_BYTES_MAX = 64 * MIB;
/** WAL bytes after which a namespace is indexed: an opening replays this much in about 1 s. */
export const INDEX_TAIL_BYTES = 16 * MIB;
/** WAL entries after which a namespace is indexed: an opening reads them in about 1 s. */
export const INDEX_TAIL_ENTRIES = 1_000;
/** WAL bytes that one step of an indexer takes at most; bounds its memory. */
export const INDEX_STEP_BYTES_MAX = 128 * MIB;
/** A step that does not fit the memory is made smaller by this factor, down to one entry. */
export const INDEX_STEP_SHRINK = 4;
/** How often an indexer looks for namespaces whose log is long. */
export const INDEX_POLL_MS = 500;
/** How often an indexer looks at all namespaces, since hints may be lost. */
export const INDEX_SWEEP_MS = 600_000;
/**
 * How long after a hint of which nothing came a server gives it again: an indexer that ends takes
 * the hints along that it works on.
 */
export const INDEX_HINT_REPEAT_MS = 30_000;
/** How long an indexer leaves a namespace alone after it failed there. */
export const INDEX_RETRY_MS = 30_000;
/** Memory of an indexer: two inputs of the largest merge, its output, and that in another order. */
export const INDEXER_BYTES_MAX = 3 * GIB;
/** Share of the memory limit that an indexer's merges may take, in a process of their own. */
export const INDEXER_MEMORY_SHARE = 0.25;
/** How long a server waits before it starts an indexer again that has ended; doubles each time. */
export const INDEXER_RESTART_MS_MIN = 1_000;
/** Longest such wait. */
export const INDEXER_RESTART_MS_MAX = 60_000;
/** Memory that an indexer caches ranges of stored segments in. */
export const INDEXER_CACHE_BYTES = 256 * MIB;
/** How often a server looks whether a namespace with a long log has a newer manifest. */
export const MANIFEST_POLL_MS = 500;
/** How often it looks at the other open namespaces. */
export const MANIFEST_IDLE_POLL_MS = 30_000;
/**
 * How long an object stays after it was first seen that no manifest reaches it: for readers of an
 * older manifest, and for writers that have not looked at the log for a while.
 */
export const GARBAGE_GRACE_MS = 300_000;
/**
 * How long after its manifest was the newest a namespace takes for certain that none of the next
 * ones was collected; well under the collectors' grace period.
 */
export const MANIFEST_RELOAD_MS = 60_000;
/**
 * How long a writer believes that it knows the end of a log; after that it looks for a manifest
 * that has moved past it. Well under the grace period before entries are collected.
 */
export const LOG_END_KNOWN_MS_MAX = 60_000;
/** Bytes of a stored segment, about; a merge holds two of them in memory, and its output. */
export const STORED_SEGMENT_BYTES_MAX = 512 * MIB;
/** Documents that are stored and read together: what one far read may cost beyond its document. */
export const DOCUMENT_BLOCK_BYTES = 16 * KIB;
/** Decoded documents that a thread keeps of all its stored segments: two thousand blocks. */
export const DECODED_DOCUMENTS_BYTES_MAX = 32 * MIB;
/** Decoded documents that are kept of a segment that is read alone, as in a merge. */
export const DECODED_SEGMENT_BYTES_MAX = 1 * MIB;
/** What a decoded block counts at least: small ones cost what holds them. */
export const DECODED_ENTRY_BYTES_MIN = 1 * KIB;
/**
 * Bytes of vectors that are read at once from a far segment, half a cluster's; neighbours are read
 * together. With 512 KiB an ANN search read half as much again.
 */
export const VECTOR_CHUNK_BYTES = 128 * KIB;
/** Reads of the store that the cache has under way at once. */
export const CACHE_READS_MAX = 64;
/**
 * Rounds in which a full cache asks its readers to forget: for a sixteenth of it, and each time for
 * twice as much, until all of it.
 */
export const CACHE_SHRINKS_MAX = 5;
/**
 * Ranges of an object that are closer than this are read together: the bytes in between cost less
 * than another request (60 ms at 80 MB/s are 5 MB; a local disk's request is worth far less).
 */
export const NEAR_RANGE_BYTES = 256 * KIB;
/** Bytes that ranges which are read together may span, so that large reads run in parallel. */
export const RANGE_READ_BYTES_MAX = 8 * MIB;
/** Small reads of a stored segment's content take the whole window of this size around them. */
export const CACHE_WINDOW_BYTES = 64 * KIB;
/** How often one query may find that bytes are missing, load them and start again. */
export const LOAD_ROUNDS_MAX = 32;
/** Newer snapshots on which a query is run again because segments of its own were collected. */
export const SNAPSHOTS_RETRIED_MAX = 3;
/** Namespaces that are held open while they are idle; each takes some 50 KiB in all threads. */
export const NAMESPACES_OPEN_MAX = 1_000;
/** Namespaces that wait for their caches to be warmed upon a hint; more hints get 429. */
export const WARM_HINTS_MAX = 1_000;
/** How long an idle namespace is held open. */
export const NAMESPACE_IDLE_MS = 600_000;
/** How often idle namespaces are closed, and the write thread hears which ones are queried. */
export const IDLE_SWEEP_MS = 10_000;
/** When a write that met backpressure may try again; our choice. */
export const UNINDEXED_RETRY_MS = 1_000;
/** How often threads report their figures to the main thread; our choice. */
export const METRICS_INTERVAL_MS = 1_000;
/**
 * Share of the memory limit that documents may take which no stored segment has yet. With the
 * cache's share 0.6; the rest is for bodies and heaps.
 */
export const SEGMENT_MEMORY_SHARE = 0.35;
/**
 * Heap for new objects of each thread, in MiB. Without a limit each of them grows to some 50 MiB
 * and stays there; with this one the same writes and queries took no more CPU time.
 */
export const THREAD_YOUNG_HEAP_MIB = 8;
/** Share of the memory limit that cached ranges of stored segments may take. */
export const CACHE_MEMORY_SHARE = 0.25;
/** Documents of one page of the deprecated export; our choice. */
export const EXPORT_PAGE_DOCUMENTS = 1_000;
/** Names of attributes and types whose encoding is remembered; then all are forgotten. */
export const ENCODED_NAMES_MAX = 4096;
/** Segments of a namespace above which merging them goes before further commits; our choice. */
export const SEGMENTS_UNMERGED_MAX = 128;
/** Smaller pieces of an object are copied together, so that it is written in few calls. */
export const PIECE_BYTES_MIN = 64 * KIB;
/** Bytes of a compressed payload that come from the pool at once. */
export const COMPRESS_PIECE_BYTES = 1 * MIB;
/** Openings of a namespace that one query waits for while faults close it again; our choice. */
export const QUERY_OPENINGS_MAX = 5;
/** Documents or ids of one write; no body of legal size has more ids that differ. */
export const WRITE_DOCUMENTS_MAX = 64 * 1024 * 1024;
