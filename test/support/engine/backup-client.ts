/** Backups and restores through an engine's operations, as a client makes them. */

import { createHash } from "node:crypto";
import { answerPieces, type OperationName } from "../../../src/api/engine.ts";
import type { Answer, EngineFixture } from "./engine-fixture.ts";

/** A namespace in memory, as the index of a backup and its objects have it. */
export interface TakenBackup {
  readonly point: Record<string, unknown>;
  readonly objects: { readonly key: string; bytes: Uint8Array }[];
}

/** Reads a backup that has begun, and ends it. */
export async function readBackup(
  engine: EngineFixture,
  begun: Answer["json"],
): Promise<TakenBackup> {
  const { id, objects: listed, expires_at: _, ...point } = begun;
  const objects: TakenBackup["objects"] = [];
  for (const [number, { key }] of listed.entries())
    objects.push({ key, bytes: await readObject(engine, id, number) });
  await must(engine, "end_backup", { parameters: { id } });
  return { point, objects };
}

/** Backs a namespace up. */
export async function takeBackup(engine: EngineFixture, namespace: string): Promise<TakenBackup> {
  return readBackup(engine, await must(engine, "begin_backup", { body: { namespace } }));
}

/** Makes the namespace `as` of a backup; the answer of the first request that fails, or the last. */
export async function restore(
  engine: EngineFixture,
  { point, objects }: TakenBackup,
  as: string,
): Promise<Answer> {
  const listed = objects.map(({ key, bytes }) => {
    return { key, bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
  });
  const begun = await engine.call("begin_restore", undefined, { ...point, as, objects: listed });
  if (begun.status !== 200) return begun;
  const { id } = begun.json;
  for (const [number, { bytes }] of objects.entries()) {
    const parameters = { id, number: String(number) };
    const { present } = await must(engine, "look_restore", { parameters });
    if (present) continue;
    // In two parts: most objects of tests are small.
    const half = Math.ceil(bytes.length / 2);
    for (const [start, part] of [
      [0, bytes.subarray(0, half)],
      [half, bytes.subarray(half)],
    ] as const) {
      const answer = await engine.call("put_restore", undefined, undefined, {
        parameters: { ...parameters, start: String(start) },
        body: bodyOf(part),
      });
      if (answer.status === 200) continue;
      await must(engine, "end_restore", { parameters: { id } });
      return answer;
    }
  }
  return engine.call("finish_restore", undefined, undefined, { parameters: { id } });
}

/** The answer to a request that must succeed. */
export async function must(
  engine: EngineFixture,
  operation: OperationName,
  of: {
    readonly namespace?: string;
    readonly body?: unknown;
    readonly parameters?: Record<string, string>;
  },
): Promise<Answer["json"]> {
  const { namespace, body, parameters = {} } = of;
  const answer = await engine.call(operation, namespace, body, { parameters });
  if (answer.status !== 200) throw new Error(`${operation}: ${JSON.stringify(answer.json)}`);
  return answer.json;
}

/** Reads one object to its end. */
export async function readObject(
  engine: EngineFixture,
  id: string,
  number: number,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for (let start = 0, isLast = false; !isLast; ) {
    const answer = await engine.engine.handle({
      operation: "read_backup",
      parameters: { id, number: String(number), start: String(start) },
      apiVersion: "v2",
      respondAsync: false,
      isStrict: false,
      signal: new AbortController().signal,
    });
    const bytes = Buffer.concat(answerPieces(answer));
    if (answer.status !== 200) throw new Error(bytes.toString());
    pieces.push(bytes);
    start += bytes.length;
    isLast = answer.headers["trawl-object-end"] === "true";
  }
  return Buffer.concat(pieces);
}

async function* bodyOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield Uint8Array.from(bytes);
}
