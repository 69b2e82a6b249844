/**
 * Deliberate breaks of the product, each of which some test must notice: a check of the checks. A
 * break is an exact replacement of a text that is found once in its file; one that is not found
 * must be brought up to date.
 */

/** One break. */
export interface Mutation {
  /** What no longer holds. */
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** What notices it: simulations, or a test file. */
  readonly noticedBy: "simulation" | (string & {});
  /**
   * The simulation begins at this seed, 1 by default. A seed that once noticed the break saves the
   * time to find it; any other seed only costs time.
   */
  readonly firstSeed?: number;
}

/** All of them. */
export const MUTATIONS: readonly Mutation[] = [
  {
    name: "an entry of the log overwrites what is there",
    file: "src/storage/create-object.ts",
    find: "await store.put(key, object, IF_ABSENT);",
    replace: putAlways("/wal/"),
    noticedBy: "simulation",
  },
  {
    name: "a manifest overwrites what is there",
    file: "src/storage/create-object.ts",
    find: "await store.put(key, object, IF_ABSENT);",
    replace: putAlways("/manifest/"),
    noticedBy: "simulation",
  },
  {
    name: "a write is acknowledged before it is put",
    file: "src/log/wal-writer.ts",
    find: "const outcome = await this.#entries.put(candidate, options);",
    replace:
      'const outcome = { kind: "written" };\n' +
      "      void this.#entries.put(candidate, options).catch(() => {});",
    noticedBy: "simulation",
  },
  {
    name: "an object that has the number is taken for one's own",
    file: "src/storage/numbered-objects.ts",
    find: "const isOwn = Buffer.compare(there.value.nonce, nonce) === 0;",
    replace: "const isOwn = true;",
    noticedBy: "simulation",
  },
  {
    name: "a put whose outcome is open is called refused",
    file: "src/storage/create-object.ts",
    find: "      if (!isTransient(error)) throw error;",
    replace: '      throw new DatabaseError("invalid", "refused", { cause: error });',
    noticedBy: "simulation",
  },
  {
    name: "an attribute takes over the column of one that was dropped",
    file: "src/model/stored-columns.ts",
    find: "return dropCount === undefined ? attribute",
    replace: "return dropCount !== -1 ? attribute",
    noticedBy: "simulation",
  },
  {
    name: "a gap of the log is passed over",
    file: "src/log/wal-reader.ts",
    find: "if (number !== next) throw this.#missing(",
    replace: "if (number < last) throw this.#missing(",
    noticedBy: "src/log/wal.test.ts",
  },
  {
    name: "an instance goes on after an append whose outcome is open",
    file: "src/commit/group-commit.ts",
    find: '      return namespace.retire(isDamage(error) ? "damaged" : "uncertain");',
    replace: "      return;",
    noticedBy: "simulation",
    firstSeed: 35,
  },
  {
    name: "an answer goes out before queries can see the write",
    file: "src/commit/namespace.ts",
    find: "    if (!this.facts.deleted && !this.isRetired) this.#publish(deltas);\n",
    replace: "    if (!this.facts.deleted && deltas.length > 1) this.#publish(deltas);\n",
    noticedBy: "simulation",
  },
  {
    name: "jobs of one group do not wait for those that they depend on",
    file: "src/commit/commit-group.ts",
    find: "      if (!isFirst && (yield* bound.conflictsWith(footprint))) break;\n",
    replace: "",
    noticedBy: "simulation",
  },
  {
    name: "what has nothing to do is answered without a look for other servers' writes",
    file: "src/commit/group-commit.ts",
    find: "      if (!this.#options.isExclusive) required = await namespace.verify();\n",
    replace: "",
    noticedBy: "simulation",
    firstSeed: 15,
  },
  {
    name: "an entry of another server is applied a second time",
    file: "src/commit/namespace.ts",
    find: "    if (this.isRetired || sequence <= this.facts.sequence) return !this.isRetired;\n",
    replace: "    if (this.isRetired) return false;\n",
    noticedBy: "simulation",
    firstSeed: 45,
  },
  {
    name: "the documents of another server's entry are passed over",
    file: "src/commit/namespace.ts",
    find: "      await this.#apply(ready);\n",
    replace: "      this.#applier.pass(ready);\n",
    noticedBy: "simulation",
  },
  {
    name: "a strong query keeps its answer though entries were followed after its state",
    file: "src/threads/query/query-call.ts",
    find: "const isOutdated = ran.seen.sequence < word.state.sequence;",
    replace: "const isOutdated = false;",
    noticedBy: "simulation",
  },
  {
    name: "an entry whose put is not answered yet counts as not committed",
    file: "src/commit/opened/namespace-log.ts",
    find: "      if (!isFollowed || !isFirst) return",
    replace: '      if (isFollowed) return { kind: "end", sequence: end };\n      return',
    noticedBy: "src/commit/following/log-follower.test.ts",
  },
  {
    name: "a strong query is taken for an eventual one",
    file: "src/threads/query/query-operations.ts",
    find: "this.#mustBeFresh(message, parsed.stalenessMsMax ?? 0);",
    replace: "this.#mustBeFresh(message, parsed.stalenessMsMax ?? 60_000);",
    noticedBy: "simulation",
  },
  {
    name: "a look that began before the question answers it",
    file: "src/commit/following/log-follower.ts",
    find: "    this.#next ??= this.#running\n",
    replace: "    return this.#running;\n    this.#next ??= this.#running\n",
    noticedBy: "simulation",
    firstSeed: 289,
  },
  {
    name: "only the first of several new entries is followed",
    file: "src/commit/opened/namespace-log.ts",
    find: "    for await (const read of this.#reader.entriesAfter(sequence)) {\n",
    replace: "    for await (const read of this.#reader.entriesAfter(sequence + 1_000)) {\n",
    noticedBy: "simulation",
    firstSeed: 12,
  },
  {
    name: "an entry under a collected number is believed",
    file: "src/commit/opened/namespace-log.ts",
    find: "    if ((await this.#newestCovered()) > this.#end) return true;\n",
    replace: "",
    noticedBy: "src/commit/following/log-follower.test.ts",
  },
  {
    name: "jobs that change nothing are answered though what they stand on has changed",
    file: "src/commit/group-commit.ts",
    find: "    if (required > sequence) {\n",
    replace: "    if (sequence < 0) {\n",
    noticedBy: "simulation",
    firstSeed: 56,
  },
  {
    name: "a server that waits for its turn is not let in",
    file: "src/commit/races/log-races.ts",
    find: "if (waiting !== undefined) await this.#letIn(waiting);",
    replace: "void waiting;",
    noticedBy: "test/engine/fair-races.test.ts",
  },
  {
    name: "a write waits for its turn without a bound",
    file: "src/commit/namespace.ts",
    find: "if (overdueMs !== undefined) this.#races.refuse(",
    replace: "if (overdueMs === 0) this.#races.refuse(",
    noticedBy: "test/engine/fair-races.test.ts",
  },
  {
    name: "a lost race closes the namespace",
    file: "src/commit/group-commit.ts",
    find: "      else await namespace.applyOthers(read);\n",
    replace: '      else namespace.retire("collected");\n',
    noticedBy: "simulation",
  },
  {
    name: "half of a batch is applied",
    file: "src/namespace/namespace-documents.ts",
    find: "      ...(deletes && { deletes }),\n",
    replace: "",
    noticedBy: "simulation",
  },
  {
    name: "a replay leaves live what it replaces in stored segments",
    file: "src/namespace/recovery/replay-entry.ts",
    find: "return attemptAllInSteps(batches, (batch) => documents.deletionsOf(batch));",
    replace: "return attemptAllInSteps(batches, function* () { return new Map(); });",
    noticedBy: "simulation",
  },
  {
    name: "stored tombstones are not heeded",
    file: "src/namespace/recovery/open-stored-segment.ts",
    find: "return storedSegment(view, where, found);",
    replace: "return storedSegment(view, where);",
    noticedBy: "simulation",
  },
  {
    name: "a manifest claims one entry more than its segments hold",
    file: "src/indexer/index-namespace.ts",
    find: "    indexedUpTo: facts.sequence,",
    replace: "    indexedUpTo: (facts.sequence + 1) as typeof facts.sequence,",
    noticedBy: "simulation",
  },
  {
    name: "tombstones are put where the older ones are kept",
    file: "src/indexer/index-namespace.ts",
    find: "if (tombstones?.deletedCount === entry.deletedCount) {",
    replace: "if (tombstones !== undefined) {",
    noticedBy: "simulation",
  },
  {
    name: "a merge keeps one of its inputs",
    file: "src/indexer/compact-namespace.ts",
    find: "const removed = new Set(chosen.map((index) => manifest.segments[index].id));",
    replace: "const removed = new Set(chosen.slice(1).map((i) => manifest.segments[i].id));",
    noticedBy: "simulation",
  },
  {
    name: "garbage is removed before its grace has passed",
    file: "src/indexer/garbage/sightings.ts",
    find: "    return nowMs - sighting.sinceMs >= graceMs;",
    replace: "    return true;",
    noticedBy: "src/indexer/garbage/sightings.test.ts",
  },
  {
    name: "the collector removes an entry that is not indexed",
    file: "src/indexer/garbage/wal-entry-garbage.ts",
    find: "return sequence <= newest.indexedUpTo ?",
    replace: "return sequence <= newest.indexedUpTo + 1 ?",
    noticedBy: "simulation",
  },
  {
    name: "the collector does not heed pins",
    file: "src/namespace/segments/segment-pins.ts",
    find: 'return pinned.kind === "all" || pinned.ids.has(id);',
    replace: "return pinned === undefined && id === undefined;",
    noticedBy: "simulation",
  },
  {
    name: "the collector leaves old manifests",
    file: "src/indexer/garbage/garbage-picker.ts",
    find: "return version < newest.version ?",
    replace: "return version < newest.version - 2 ?",
    noticedBy: "simulation",
  },
  {
    name: "a copy brings back what was deleted",
    file: "src/commit/copies/copy-namespace.ts",
    find: "const deletedCount = documentCount - liveCount;",
    replace: "const deletedCount = Math.min(0, documentCount - liveCount);",
    noticedBy: "simulation",
    firstSeed: 429,
  },
  {
    name: "the deletion mark is not put",
    file: "src/namespace/generations/namespace-generations.ts",
    find: "await store.put(deletedKey(generation), new Uint8Array(0), ALWAYS);",
    replace: "await store.get(deletedKey(generation));",
    noticedBy: "simulation",
  },
  {
    name: "a condition is not checked for the second document of a request",
    file: "src/write/resolve/resolve-batch.ts",
    find: "if (!condition) return upserts;",
    replace: "if (!condition || upserts.count > 1) return upserts;",
    noticedBy: "simulation",
  },
  {
    name: "ranges of other objects are taken for those that are asked for",
    file: "src/cache/cache-service.ts",
    find: "return this.#objects.get(range.object)?.get(keyOf(range));",
    replace: "return [...this.#objects.values()].at(0)?.get(keyOf(range));",
    noticedBy: "simulation",
  },
  {
    name: "the checksum of an object is not checked",
    file: "src/codec/frame.ts",
    find: "if ((await crcOf([stored], slices)) !== header.payloadCrc) {",
    replace: "if (crc32(stored) === header.payloadCrc && stored.length < 0) {",
    noticedBy: "simulation",
    firstSeed: 784,
  },
  {
    name: "the checksum of a page is not checked",
    file: "src/segment/format/segment-pages.ts",
    find: "if (checksum(part, page, of.key) !== view.getUint32(end, true)) {",
    replace: "if (checksum(part, page, of.key) === view.getUint32(end, true) && end < 0) {",
    noticedBy: "src/segment/format/segment-pages.test.ts",
  },
  {
    name: "a term that begins a page is looked for on the page before",
    file: "src/segment/postings/term-section.ts",
    find: "if (compareTo(strings, middle, wanted) <= 0) low = middle + 1;",
    replace: "if (compareTo(strings, middle, wanted) < 0) low = middle + 1;",
    noticedBy: "src/segment/text/text-pages.test.ts",
  },
  {
    name: "pages of a prefix are read one after the other",
    file: "src/segment/text/text-view.ts",
    find: "      pages.touch(start, end);\n",
    replace: "",
    noticedBy: "src/segment/text/text-pages.test.ts",
  },
  {
    name: "metadata do not know of indexes that are being built",
    file: "src/namespace/index-status.ts",
    find: "const isBuilding = builds.length > 0 || isReindexing;",
    replace: "const isBuilding = isReindexing;",
    noticedBy: "simulation",
  },
  {
    name: "an index that no document lacks is still being built",
    file: "src/commit/background/index-builder.ts",
    find: "return documentsDone < documentsTotal;",
    replace: "return documentsDone <= documentsTotal;",
    noticedBy: "src/commit/background/index-builder.test.ts",
  },
  {
    name: "the directory of a new object is not synced",
    file: "src/storage/directory/fs-object-store.ts",
    find: "await Promise.all([this.#directories.sync(directory), this.#staging.discard(staged)]);",
    replace: "await Promise.all([this.#staging.discard(staged)]);",
    noticedBy: "src/storage/directory/fs-object-store.durability.test.ts",
  },
  {
    name: "the bytes of a new object are not synced",
    file: "src/storage/directory/staging-area.ts",
    find: "await handle.sync();",
    replace: "",
    noticedBy: "src/storage/directory/fs-object-store.durability.test.ts",
  },
  {
    name: "a block of the disk cache is taken whatever its checksum",
    file: "src/storage/disk-cache/disk-cache.ts",
    find: "if (part.length === mark.length && isWhole) found.set(base + block, part);",
    replace: "if (part.length === mark.length) found.set(base + block, part);",
    noticedBy: "src/storage/disk-cache/disk-cache-faults.test.ts",
  },
  {
    name: "a slot of the disk cache is taken whatever its checksum",
    file: "src/storage/disk-cache/disk-cache-layout.ts",
    find: "const isWhole = crc32(bytes.subarray(0, CRC_AT)) === bytes.readUInt32LE(CRC_AT);",
    replace: "const isWhole = true;",
    noticedBy: "src/storage/disk-cache/disk-cache-faults.test.ts",
  },
];

/** Puts over what is there, where a key is of one kind of object. */
function putAlways(kind: string): string {
  const condition = `key.includes("${kind}") ? { kind: "always" } : IF_ABSENT`;
  return `await store.put(key, object, ${condition});`;
}
