/** Counts and sizes as people read them, the same on every machine. */

const BYTE_UNITS = ["KiB", "MiB", "GiB", "TiB", "PiB"];

/** `1234567` as `1,234,567`; a fraction is left as it is. */
export function countText(count: number | bigint): string {
  const [whole, fraction] = String(count).split(".");
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** A size in the unit that leaves one to four digits: `512 B`, `1.5 KiB`, `23.4 MiB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  let size = bytes;
  let unit = -1;
  // What would be shown as 1024.0 is one of the next unit.
  while (size >= 1023.95 && unit < BYTE_UNITS.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${size.toFixed(1)} ${BYTE_UNITS[unit]}`;
}

/** `1 document`, `2,000 documents`. */
export function countedText(count: number, singular: string, plural = `${singular}s`): string {
  return `${countText(count)} ${count === 1 ? singular : plural}`;
}
