import { expect, test } from "vitest";
import { seededRandom } from "../../base/random.ts";
import type { ObjectKey } from "../../storage/object-store.ts";
import type { ByteSource } from "../format/byte-source.ts";
import { BytesMissing, type WantedRange } from "../format/bytes-missing.ts";
import type { SectionEntry } from "../format/segment-layout.ts";
import { touchLists } from "./touch-lists.ts";

const WINDOW_BYTES = 256;

/** Keeps windows around what lies within one, as the cache of a server does; has nothing at first. */
function sourceWith(kept: ReadonlySet<string>, looks: { count: number }): ByteSource {
  const peek = () => undefined;
  return {
    epoch: 0,
    chunkBytes: 1,
    windowBytes: WINDOW_BYTES,
    peek,
    place: (from, to) => {
      looks.count++;
      const window = Math.floor(from / WINDOW_BYTES) * WINDOW_BYTES;
      const isWithin = to <= window + WINDOW_BYTES;
      const [start, end] = isWithin ? [window, window + WINDOW_BYTES] : [from, to];
      if (!kept.has(`${start} ${end}`)) {
        throw new BytesMissing([{ object: "o" as ObjectKey, start, end }]);
      }
      return { arena: 0, offset: 0, bytes: new Uint8Array(0) };
    },
  };
}

function missedBy(attempt: () => void): readonly WantedRange[] {
  try {
    attempt();
  } catch (error) {
    if (error instanceof BytesMissing) return error.wanted;
    throw error;
  }
  return [];
}

test("all that queries read of lists is looked at, each window once", () => {
  for (let seed = 1; seed <= 50; seed++) {
    const random = seededRandom(seed);
    const unitBytes = 2 + 2 * (seed % 2);
    const lengths = Array.from({ length: 200 }, () =>
      random.below(10) === 0 ? random.below(300) : random.below(12),
    );
    const starts = new Uint32Array(lengths.length + 1);
    lengths.forEach((length, i) => {
      starts[i + 1] = starts[i] + length;
    });
    const section = { offset: unitBytes * random.below(1000) } as SectionEntry;
    const lists = { starts, unitBytes };
    const looks = { count: 0 };
    const nothing = sourceWith(new Set(), looks);
    const single = lengths.flatMap((length, i) => {
      const from = section.offset + unitBytes * starts[i];
      return length === 0 ? [] : missedBy(() => nothing.place(from, from + unitBytes * length));
    });
    const wanted = new Set(single.map(({ start, end }) => `${start} ${end}`));
    looks.count = 0;
    const missed = missedBy(() => touchLists(nothing, section, lists));
    expect(
      missed.map(({ start, end }) => `${start} ${end}`),
      `seed ${seed}`,
    ).toEqual([...wanted]);
    expect(looks.count, `seed ${seed}`).toBe(wanted.size);
    expect(missedBy(() => touchLists(sourceWith(wanted, looks), section, lists))).toEqual([]);
  }
});
