/** Namespaces of servers that speak the same API: another Trawl, or turbopuffer itself. */

import { readMetadata } from "../../client/namespaces.ts";
import type { JsonObject } from "../../model/json-value.ts";
import { parseJson } from "../../wire/json/json-reader.ts";
import { readPages } from "../export/read-pages.ts";
import { schemaToWrite } from "../export/schema-to-write.ts";
import type {
  MigrationSource,
  SourceDescription,
  SourceOptions,
  SourcePage,
} from "./migration-source.ts";

/** See the file's head. The client has the key. Types, indexes and ids stay as they are. */
export class SameApiSource implements MigrationSource {
  readonly #options: SourceOptions;
  /** Pages that are read one after the other, and where the last one ended. */
  #pages: ReturnType<typeof readPages> | undefined;
  #cursor: string | null = null;

  constructor(options: SourceOptions) {
    this.#options = options;
  }

  async describe(): Promise<SourceDescription> {
    const { client, name, signal } = this.#options;
    const metadata = await readMetadata(client, name, signal);
    return { ...schemaToWrite(metadata.schema), total: metadata.approx_row_count };
  }

  async read(cursor: string | null): Promise<SourcePage> {
    const { client, name, signal } = this.#options;
    if (this.#pages === undefined || cursor !== this.#cursor) {
      const request = { filters: null, excluded: [], vectorEncoding: "base64" } as const;
      this.#pages = readPages(client, { ...request, namespace: name, after: cursor, signal });
    }
    const page = await this.#pages.next();
    if (page.done) return { rows: [], next: null };
    this.#cursor = page.value.last;
    const rows = page.value.rows.map((row) => parseJson(row) as JsonObject);
    return { rows, next: page.value.last };
  }
}
