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
  /** Who notices: simulations, or a test file. */
  readonly noticedBy: "simulation" | (string & {});
}

/** All of them. */
export const MUTATIONS: readonly Mutation[] = [
  {
    name: "an entry of the log overwrites what is there",
    file: "src/log/wal-writer.ts",
    find: "await this.#store.put(key, object, IF_ABSENT);",
    replace: 'await this.#store.put(key, object, { kind: "always" });',
    noticedBy: "simulation",
  },
  {
    name: "a manifest overwrites what is there",
    file: "src/manifest/manifest-store.ts",
    find: "await this.#store.put(key, object, IF_ABSENT);",
    replace: 'await this.#store.put(key, object, { kind: "always" });',
    noticedBy: "simulation",
  },
  {
    name: "a write is acknowledged before it is put",
    file: "src/log/wal-writer.ts",
    find: "const other = await this.#commit(entry, object);",
    replace: "const other = undefined;\n      void this.#commit(entry, object).catch(() => {});",
    noticedBy: "simulation",
  },
  {
    name: "an entry that has the number is taken for one's own",
    file: "src/log/wal-writer.ts",
    find: "return Buffer.compare(other.nonce, entry.nonce) === 0 ? undefined : other;",
    replace: "return undefined;",
    noticedBy: "simulation",
  },
  {
    name: "a put whose outcome is open is called refused",
    file: "src/log/wal-writer.ts",
    find: "        if (!isTransient(error)) throw error;",
    replace: '        throw new DatabaseError("invalid", "refused", { cause: error });',
    noticedBy: "simulation",
  },
  {
    name: "a gap of the log is passed over",
    file: "src/log/wal-reader.ts",
    find: "if (number !== last + 1) throw this.#missing(",
    replace: "if (number < last) throw this.#missing(",
    noticedBy: "src/log/wal.test.ts",
  },
  {
    name: "an instance goes on after an append whose outcome is open",
    file: "src/engine/namespace.ts",
    find: "      giveUp(error);\n      return this.retire();",
    replace: "      return giveUp(error);",
    noticedBy: "simulation",
  },
  {
    name: "an answer goes out before queries can see the write",
    file: "src/engine/namespace.ts",
    find: "      if (!this.#facts.deleted && !this.#retired) this.#publish(deltas);\n",
    replace: "      if (!this.#facts.deleted && deltas.length > 1) this.#publish(deltas);\n",
    noticedBy: "simulation",
  },
  {
    name: "jobs of one group do not wait for those that they depend on",
    file: "src/engine/commit-group.ts",
    find: "      if (!isFirst && bound.conflictsWith(footprint)) break;\n",
    replace: "",
    noticedBy: "simulation",
  },
  {
    name: "what has nothing to do is answered without a look for other servers' writes",
    file: "src/engine/namespace.ts",
    find: "const isNewest = this.#parts.isExclusive || (await this.verify());",
    replace: "const isNewest = true;",
    noticedBy: "simulation",
  },
  {
    name: "half of a batch is applied",
    file: "src/engine/namespace-documents.ts",
    find: "      ...(deletes && { deletes }),\n",
    replace: "",
    noticedBy: "simulation",
  },
  {
    name: "a replay leaves alive what it replaces in stored segments",
    file: "src/engine/open-namespace.ts",
    find: "const deaths = await reads.run(() => this.#documents.deathsOf(batch));",
    replace: "const deaths = await reads.run(() => new Map());",
    noticedBy: "simulation",
  },
  {
    name: "stored tombstones are not heeded",
    file: "src/engine/open-stored-segment.ts",
    find: "return storedSegment(view, where, live);",
    replace: "return storedSegment(view, where);",
    noticedBy: "simulation",
  },
  {
    name: "a manifest claims one entry more than its segments hold",
    file: "src/engine/index-namespace.ts",
    find: "    indexedUpTo: facts.sequence,",
    replace: "    indexedUpTo: (facts.sequence + 1) as typeof facts.sequence,",
    noticedBy: "simulation",
  },
  {
    name: "tombstones are put where the older ones are kept",
    file: "src/engine/index-namespace.ts",
    find: "if (tombstones?.deletedCount === entry.deletedCount) {",
    replace: "if (tombstones !== undefined) {",
    noticedBy: "simulation",
  },
  {
    name: "a merge keeps one of its inputs",
    file: "src/engine/compact-namespace.ts",
    find: "const removed = new Set(picked.inputs.map((index) => manifest.segments[index].id));",
    replace: "const removed = new Set(picked.inputs.slice(1).map((i) => manifest.segments[i].id));",
    noticedBy: "simulation",
  },
  {
    name: "a server follows no manifest, and its segments are collected",
    file: "src/engine/collect-garbage.ts",
    find: "    return nowMs - sighting.sinceMs >= graceMs;",
    replace: "    return true;",
    noticedBy: "simulation",
  },
  {
    name: "the collector removes an entry that is not indexed",
    file: "src/index/garbage-picker.ts",
    find: "if (sequence <= newest.indexedUpTo) unreachable.push(key);",
    replace: "if (sequence <= newest.indexedUpTo + 1) unreachable.push(key);",
    noticedBy: "simulation",
  },
  {
    name: "the collector does not heed pins",
    file: "src/engine/segment-pins.ts",
    find: 'return pinned.kind === "all" || pinned.ids.has(id);',
    replace: "return pinned === undefined && id === undefined;",
    noticedBy: "simulation",
  },
  {
    name: "the collector leaves old manifests",
    file: "src/index/garbage-picker.ts",
    find: "if (version < newest.version) unreachable.push(key);",
    replace: "if (version < newest.version - 2) unreachable.push(key);",
    noticedBy: "simulation",
  },
  {
    name: "a copy brings back what was deleted",
    file: "src/engine/copy-namespace.ts",
    find: "const deletedCount = documentCount - liveCount;",
    replace: "const deletedCount = Math.min(0, documentCount - liveCount);",
    noticedBy: "simulation",
  },
  {
    name: "the mark of a deletion is not made",
    file: "src/engine/namespace-generations.ts",
    find: "await store.put(deletedKey(at), new Uint8Array(0), ALWAYS);",
    replace: "await store.get(deletedKey(at));",
    noticedBy: "simulation",
  },
  {
    name: "a condition is not checked for the second document of a request",
    file: "src/write/resolve-batch.ts",
    find: "if (!condition) return upserts;",
    replace: "if (!condition || upserts.count > 1) return upserts;",
    noticedBy: "simulation",
  },
  {
    name: "ranges of other objects are taken for those that are asked for",
    file: "src/engine/cache-service.ts",
    find: "return this.#objects.get(range.object)?.get(keyOf(range));",
    replace: "return [...this.#objects.values()].at(0)?.get(keyOf(range));",
    noticedBy: "simulation",
  },
  {
    name: "the checksum of an object is not checked",
    file: "src/codec/frame.ts",
    find: "if (crc32(stored) !== header.payloadCrc) {",
    replace: "if (crc32(stored) === header.payloadCrc && stored.length < 0) {",
    noticedBy: "simulation",
  },
  {
    name: "the checksum of a page is not checked",
    file: "src/segment/segment-pages.ts",
    find: "if (checksum(part, page, of.key) !== view.getUint32(end, true)) {",
    replace: "if (checksum(part, page, of.key) === view.getUint32(end, true) && end < 0) {",
    noticedBy: "simulation",
  },
  {
    name: "the directory of a new object is not synced",
    file: "src/storage/fs-object-store.ts",
    find: "await Promise.all([this.#directories.sync(directory), this.#staging.discard(staged)]);",
    replace: "await Promise.all([this.#staging.discard(staged)]);",
    noticedBy: "src/storage/fs-object-store.durability.test.ts",
  },
  {
    name: "the bytes of a new object are not synced",
    file: "src/storage/staging-area.ts",
    find: "await handle.sync();",
    replace: "",
    noticedBy: "src/storage/fs-object-store.durability.test.ts",
  },
];
