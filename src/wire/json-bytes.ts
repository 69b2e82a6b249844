import { JsonWriter } from "./json/json-writer.ts";

/**
 * Writes JSON and returns its bytes in a buffer of their own, so that they can be handed to another
 * thread without what else the writer's buffer holds.
 */
export function jsonBytes(write: (json: JsonWriter) => void): Uint8Array<ArrayBuffer> {
  const json = new JsonWriter();
  write(json);
  return new Uint8Array(json.bytes());
}
