import { expect, test } from "vitest";

import { diskCacheMetrics } from "./disk-cache-metrics.ts";

test("each thread tells of its own use; without a disk cache there is nothing to tell", () => {
  const stats = { hits: 1, misses: 2, readBytes: 3, writtenBytes: 4, evictions: 5, faults: 6 };
  expect(diskCacheMetrics(undefined, "write")).toEqual([]);
  const both = [...diskCacheMetrics({ stats }, "cache"), ...diskCacheMetrics({ stats }, "write")];
  const values = both.map(({ name, value, labels }) => `${name} ${labels?.thread} ${value}`);
  for (const [name, value] of Object.entries({
    hits: 1,
    misses: 2,
    read_bytes: 3,
    written_bytes: 4,
    evictions: 5,
    faults: 6,
  })) {
    for (const thread of ["cache", "write"]) {
      expect(values).toContain(`trawl_disk_cache_${name}_total ${thread} ${value}`);
    }
  }
});
