/** Reads the files of a tar archive (POSIX ustar), for sets that come as one. */

const RECORD_BYTES = 512;

/** A file of an archive. */
export interface TarFile {
  readonly name: string;
  readonly bytes: Buffer;
}

/** Returns the plain files of an unpacked archive in its order; long names are not understood. */
export function readTar(archive: Buffer): TarFile[] {
  const files: TarFile[] = [];
  const text = (start: number, bytes: number) =>
    archive.toString("latin1", start, start + bytes).replace(/\0[\s\S]*$/, "");
  for (let at = 0; at + RECORD_BYTES <= archive.length && archive[at] !== 0; ) {
    const name = text(at, 100);
    const size = Number.parseInt(text(at + 124, 12), 8);
    const kind = text(at + 156, 1);
    at += RECORD_BYTES;
    if (kind === "" || kind === "0") files.push({ name, bytes: archive.subarray(at, at + size) });
    at += Math.ceil(size / RECORD_BYTES) * RECORD_BYTES;
  }
  return files;
}
