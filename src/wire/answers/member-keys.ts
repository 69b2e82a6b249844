import { JsonWriter } from "../json/json-writer.ts";

/** Writes members' names, each escaped only once: an answer repeats few of them very often. */
export class MemberKeys {
  readonly #comma = new Map<string, Uint8Array>();

  /** Writes a comma, the name in quotes, and a colon. */
  writeNext(json: JsonWriter, name: string): void {
    let bytes = this.#comma.get(name);
    if (bytes === undefined) {
      const key = new JsonWriter();
      key.raw(",");
      key.key(name);
      bytes = key.bytes();
      this.#comma.set(name, bytes);
    }
    json.rawBytes(bytes);
  }
}
