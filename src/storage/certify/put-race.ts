import { isDatabaseError } from "../../base/errors.ts";
import { IF_ABSENT, type ObjectKey, type ObjectStore } from "../object-store.ts";

/** What became of conditional puts that raced for one key. */
export interface PutRace {
  readonly racers: number;
  /** Racers whose put resolved "written". */
  readonly written: readonly number[];
  readonly conflicts: number;
  /** Racers whose put threw, so that nobody knows whether it was written. */
  readonly unknown: readonly { readonly racer: number; readonly error: Error }[];
  /** The racer whose body the key holds afterwards. */
  readonly found: number | undefined;
}

/** Lets `racers` conditional puts race for `key`, which is absent, and reads what is there then. */
export async function racePuts(
  store: ObjectStore,
  key: ObjectKey,
  racers: number,
): Promise<PutRace> {
  const written: number[] = [];
  const unknown: { racer: number; error: Error }[] = [];
  let conflicts = 0;
  await Promise.all(
    Array.from({ length: racers }, async (_, racer) => {
      try {
        const { kind } = await store.put(key, racerBody(racer), IF_ABSENT);
        if (kind === "written") written.push(racer);
        else conflicts++;
      } catch (error) {
        if (!isDatabaseError(error, "unavailable", "overloaded")) throw error;
        unknown.push({ racer, error });
      }
    }),
  );
  const found = racerOf(await store.get(key));
  return { racers, written, conflicts, unknown, found };
}

/** Says which promise the race broke, or returns undefined if it broke none. */
export function faultOfRace({
  racers,
  written,
  conflicts,
  unknown,
  found,
}: PutRace): string | undefined {
  if (written.length > 1) {
    return `${written.length} of ${racers} puts of one key were told that theirs was written`;
  }
  if (found === undefined) {
    const isSettled = written.length === 0 && conflicts === 0;
    return isSettled ? undefined : "an object that was reported as there cannot be read";
  }
  const [winner] = written;
  if (winner !== undefined && found !== winner) {
    return `racer ${winner} was told that its put was written, and the object is of ${found}`;
  }
  const isOpen = unknown.some(({ racer }) => racer === found);
  if (winner === undefined && !isOpen) {
    return `the object is of racer ${found}, which was told that it lost`;
  }
  return undefined;
}

/** What a racer puts. Bodies differ in length, so that a mixture of two would be noticed. */
export function racerBody(racer: number): Uint8Array {
  return new TextEncoder().encode(`racer ${racer} ${"x".repeat(racer)}`);
}

/** The racer that put `body`; -1 if it is no racer's whole body, undefined without one. */
export function racerOf(body: Uint8Array | undefined): number | undefined {
  if (body === undefined) return undefined;
  const racer = Number(Buffer.from(body).toString("utf8").split(" ")[1]);
  const isWhole = Number.isInteger(racer) && Buffer.compare(body, racerBody(racer)) === 0;
  return isWhole ? racer : -1;
}
