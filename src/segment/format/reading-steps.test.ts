import { describe, expect, test } from "vitest";
import { runSteps, type Steps } from "../../base/steps.ts";
import type { ObjectKey } from "../../storage/object-store.ts";
import { BytesMissing, type ReadRequest, type WantedRange } from "./bytes-missing.ts";
import { joinReads, type ReadingSteps, readInPlace } from "./reading-steps.ts";

const range = (object: string, start: number): WantedRange => {
  return { object: object as ObjectKey, start, end: start + 8 };
};
const request = (...wanted: WantedRange[]): ReadRequest => ({ wanted, transient: [] });

/** Runs steps to their end and returns their result, their requests and the number of pauses. */
function served<T>(steps: ReadingSteps<T>, load: (asked: ReadRequest) => void = () => {}) {
  const requests: ReadRequest[] = [];
  let pauses = 0;
  for (;;) {
    const next = steps.next();
    if (next.done === true) return { result: next.value, requests, pauses };
    if (next.value === undefined) {
      pauses++;
      continue;
    }
    requests.push(next.value);
    load(next.value);
  }
}

/** Requests so many ranges of an object, one after the other. */
function* reader(object: string, count: number, log: string[] = []): ReadingSteps<string> {
  try {
    for (let i = 0; i < count; i++) {
      log.push(`${object} ${i}`);
      yield;
      yield request(range(object, i));
    }
    return object;
  } finally {
    log.push(`${object} ended`);
  }
}

describe("joined readers", () => {
  test("what all of them request is one request, with each range once", () => {
    const both = joinReads([reader("a", 2), reader("b", 1), reader("a", 1)]);
    const { result, requests, pauses } = served(both);
    expect(result).toEqual(["a", "b", "a"]);
    expect(requests.map(({ wanted }) => wanted)).toEqual([
      [range("a", 0), range("b", 0)],
      [range("a", 1)],
    ]);
    expect(pauses).toBe(4);
  });

  test("many segments take as many rounds as the one with the most", () => {
    const counts = Array.from({ length: 100 }, (_, i) => i % 4);
    const all = joinReads(counts.map((count, i) => reader(`s${i}`, count)));
    const { requests } = served(all);
    expect(requests.map(({ wanted }) => wanted.length)).toEqual([75, 50, 25]);
  });

  test("joined joiners make one request, and keep transient ranges apart", () => {
    function* transient(): ReadingSteps<void> {
      yield { wanted: [], transient: [range("c", 3)] };
    }
    const inner = joinReads([reader("a", 1), transient()]);
    const { requests } = served(joinReads([inner, reader("b", 1)]));
    expect(requests).toHaveLength(1);
    expect(requests[0].wanted).toEqual([range("a", 0), range("b", 0)]);
    expect(requests[0].transient).toEqual([range("c", 3)]);
  });

  test("without a request nothing is yielded but pauses", () => {
    function* pausing(): Steps<number> {
      yield;
      return 7;
    }
    expect(served(joinReads([pausing(), pausing()]))).toEqual({
      result: [7, 7],
      requests: [],
      pauses: 2,
    });
    expect(served(joinReads([])).result).toEqual([]);
  });

  test("where one fails the others end", () => {
    const log: string[] = [];
    function* failing(): ReadingSteps<void> {
      yield request(range("x", 0));
      throw new Error("damaged");
    }
    const all = joinReads([reader("a", 5, log), failing(), reader("b", 5, log)]);
    expect(() => served(all)).toThrow("damaged");
    expect(log).toEqual(["a 0", "b 0", "a 1", "a ended", "b ended"]);
  });

  test("ended while they wait for bytes, all of them end", () => {
    const log: string[] = [];
    const all = joinReads([reader("a", 5, log), reader("b", 5, log)]);
    let next = all.next();
    while (next.value === undefined) next = all.next();
    log.length = 0;
    all.return([] as never);
    expect(log).toEqual(["a ended", "b ended"]);
    expect(all.next().done).toBe(true);
  });
});

describe("reading in place", () => {
  test("only the look-up that misses bytes is repeated, until none are missing", () => {
    const loaded = new Set<number>();
    const looks: number[] = [];
    function* work(): ReadingSteps<number[]> {
      const found: number[] = [];
      for (const at of [0, 8, 16]) {
        const look = function* (): Steps<number> {
          looks.push(at);
          yield;
          if (!loaded.has(at)) throw new BytesMissing([range("a", at)]);
          return at;
        };
        found.push(yield* readInPlace(look));
      }
      return found;
    }
    const load = ({ wanted }: ReadRequest) => {
      for (const { start } of wanted) loaded.add(start);
    };
    expect(served(work(), load).result).toEqual([0, 8, 16]);
    expect(looks).toEqual([0, 0, 8, 8, 16, 16]);
    looks.length = 0;
    expect(served(work()).requests).toEqual([]);
    expect(looks).toEqual([0, 8, 16]);
  });

  test("memory that a look-up took is returned before it waits", () => {
    const memory = {
      bytes: 100,
      giveBackTo: (bytes: number) => {
        memory.bytes = bytes;
      },
    };
    let isLoaded = false;
    const look = function* (): Steps<void> {
      memory.bytes += 50;
      yield;
      if (!isLoaded) throw new BytesMissing([range("a", 0)]);
    };
    served(readInPlace(look, memory), () => {
      expect(memory.bytes).toBe(100);
      isLoaded = true;
    });
    expect(memory.bytes).toBe(150);
  });

  test("other errors are those of the look-up", () => {
    const look = (): Steps<void> => {
      throw new Error("damaged");
    };
    expect(() => served(readInPlace(look))).toThrow("damaged");
  });

  test("steps that request nothing need no runner that serves requests", () => {
    // @ts-expect-error Requests would be lost.
    expect(() => runSteps(reader("a", 0))).not.toThrow();
  });
});
