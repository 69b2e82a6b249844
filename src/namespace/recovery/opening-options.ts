import type { Clock } from "../../base/clock.ts";
import type { Random } from "../../base/random.ts";
import type { SliceUse } from "../../base/slices.ts";
import type { SegmentReads } from "../../cache/segment-reads.ts";
import type { NamespaceSettings } from "../../model/namespace-settings.ts";
import type { ObjectStore } from "../../storage/object-store.ts";

/** What reading a namespace from the store takes, in a server and in an indexer. */
export interface OpeningOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly reads: SegmentReads;
  /** The store through which a namespace with these settings writes; it reads any namespace. */
  storeFor(settings: NamespaceSettings | undefined): ObjectStore;
  /** See `SliceOptions`. */
  readonly flow?: string | undefined;
  /** See `SliceOptions`. */
  yield(use?: SliceUse): Promise<void>;
  /** See `SliceOptions`. */
  endsSlice?(): boolean;
}
