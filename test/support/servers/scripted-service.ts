/** A service of whose requests a test says how each is answered, a new one for each test. */

import { afterEach, beforeEach } from "vitest";
import { DatabaseError } from "../../../src/base/errors.ts";
import { type JsonHandler, type JsonService, startJsonService } from "./json-service.ts";

/** See the file's head. */
export interface ScriptedService<Body> {
  url: string;
  /** What the next requests are answered with; the last one stays. */
  handlers: JsonHandler<Body>[];
  /** What was sent. */
  bodies: Body[];
}

/** A service for each test of a file. */
export function scriptedService<Body>(): ScriptedService<Body> {
  const scripted: ScriptedService<Body> = { url: "", handlers: [], bodies: [] };
  let service: JsonService;
  beforeEach(async () => {
    service = await startJsonService<Body>((body, response, request) => {
      const { handlers } = scripted;
      scripted.bodies.push(body);
      const handler = handlers.length > 1 ? handlers.shift() : handlers[0];
      handler?.(body, response, request);
    });
    Object.assign(scripted, { url: service.url, handlers: [], bodies: [] });
  });
  afterEach(() => service.close());
  return scripted;
}

/** What a promise is rejected with; other errors than the database's own are thrown. */
export async function faultOf(promise: Promise<unknown>): Promise<DatabaseError> {
  const error = await promise.then(
    () => new Error("nothing was thrown"),
    (reason) => reason,
  );
  if (error instanceof DatabaseError) return error;
  throw error;
}
