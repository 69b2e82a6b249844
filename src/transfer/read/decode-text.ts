/** Texts of binary files: each byte of them is stored, or the row is refused. */

/** Bytes of an invalid text that a message shows. */
const SHOWN_BYTES_MAX = 16;

/** A byte order mark is part of a text that a file gives the length of. */
const DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The value of a text column that is not UTF-8; its row cannot be imported. */
export class InvalidText {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** The bytes as hexadecimal digits, the first ones if there are many. */
  get shown(): string {
    const shown = Array.from(this.bytes.subarray(0, SHOWN_BYTES_MAX), (byte) =>
      byte.toString(16).padStart(2, "0"),
    ).join(" ");
    return this.bytes.length > SHOWN_BYTES_MAX ? `${shown} …` : shown;
  }
}

/** The text of these bytes. */
export function decodeText(bytes: Uint8Array): string | InvalidText {
  try {
    return DECODER.decode(bytes);
  } catch {
    return new InvalidText(bytes.slice());
  }
}
