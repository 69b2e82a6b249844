/**
 * The files of one folder that was built for browsers, as answers. Which files there are is read
 * once, so that no path leads out of the folder; what is asked for is kept in memory.
 */

import { hash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { gunzipSync } from "node:zlib";
import { MIB } from "../../base/byte-sizes.ts";

/** Bytes of one folder's files that are kept; what does not fit is read again each time. */
const KEPT_BYTES_MAX = 16 * MIB;
/** The types of what is served; files with other endings are not. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webp": "image/webp",
  ".txt": "text/plain; charset=utf-8",
};
/** Endings of compressed forms, by their names in `Content-Encoding`; the smallest first. */
const ENCODINGS = { br: ".br", gzip: ".gz" } as const;

/** How a file is packed. */
export type PageEncoding = keyof typeof ENCODINGS;

/** One file as it goes out. */
export interface PageFile {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
  /** Absent: as it is. */
  readonly encoding?: PageEncoding;
  /** Of the file as it is, whichever form is sent. */
  readonly etag: string;
}

/** What becomes of the text of a page before it is sent. */
export type PageEdit = (html: string) => string;

/** See the file's head. */
export class PageFiles {
  readonly #folder: string;
  /** Paths below the folder, with slashes. */
  readonly #paths: ReadonlySet<string>;
  readonly #edit: PageEdit | undefined;
  readonly #kept = new Map<string, Uint8Array>();
  readonly #etags = new Map<string, string>();
  #keptBytes = 0;

  private constructor(folder: string, paths: ReadonlySet<string>, edit?: PageEdit) {
    this.#folder = folder;
    this.#paths = paths;
    this.#edit = edit;
  }

  /**
   * Looks which files there are; undefined if there is no such folder. `edit` changes every page;
   * pages are then sent without compression, since their compressed forms are the unchanged ones.
   */
  static async open(folder: string, edit?: PageEdit): Promise<PageFiles | undefined> {
    try {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile());
      const paths = files.map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
      return new PageFiles(folder, new Set(paths.map((path) => path.split(sep).join("/"))), edit);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }

  /**
   * Whether there is a file that may be served; `path` is below the folder. Of an installed package
   * the compressed form alone is there.
   */
  has(path: string): boolean {
    if (MEDIA_TYPES[extname(path)] === undefined) return false;
    return this.#paths.has(path) || this.#paths.has(path + ENCODINGS.gzip);
  }

  /**
   * A file for which `has` holds, in the first of the encodings that there is. Rejects with the
   * system's error if it is there no more.
   */
  async read(path: string, accepted: readonly PageEncoding[]): Promise<PageFile> {
    const encoding = (Object.keys(ENCODINGS) as PageEncoding[]).find(
      (name) =>
        this.#editOf(path) === undefined &&
        accepted.includes(name) &&
        this.#paths.has(path + ENCODINGS[name]),
    );
    const etag = this.#etags.get(path) ?? (await this.#readEtag(path));
    const bytes = await this.#bytes(encoding === undefined ? path : path + ENCODINGS[encoding]);
    return {
      bytes,
      mediaType: MEDIA_TYPES[extname(path)],
      etag,
      ...(encoding !== undefined && { encoding }),
    };
  }

  async #readEtag(path: string): Promise<string> {
    // Weak: the compressed forms have it, too.
    const etag = `W/"${hash("sha256", await this.#bytes(path), "base64url").slice(0, 22)}"`;
    this.#etags.set(path, etag);
    return etag;
  }

  async #bytes(path: string): Promise<Uint8Array> {
    const kept = this.#kept.get(path);
    if (kept !== undefined) return kept;
    const built = this.#paths.has(path)
      ? await readFile(join(this.#folder, path))
      : gunzipSync(await readFile(join(this.#folder, path + ENCODINGS.gzip)));
    const edit = this.#editOf(path);
    const bytes = edit === undefined ? built : Buffer.from(edit(built.toString()));
    if (this.#keptBytes + bytes.length <= KEPT_BYTES_MAX && !this.#kept.has(path)) {
      this.#kept.set(path, bytes);
      this.#keptBytes += bytes.length;
    }
    return bytes;
  }

  #editOf(path: string): PageEdit | undefined {
    return extname(path) === ".html" ? this.#edit : undefined;
  }
}
