const LINE_FEED = 0x0a;

/**
 * Lines of a stream without their line feeds; text after the last one is a line, too. Only line
 * feeds end lines: JSON may hold other separators within its texts.
 */
export async function* splitLines(
  stream: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  let parts: Buffer[] = [];
  for await (const chunk of stream) {
    let start = 0;
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, start)) {
      parts.push(chunk.subarray(start, at));
      yield parts.length === 1 ? parts[0] : Buffer.concat(parts);
      parts = [];
      start = at + 1;
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
  }
  if (parts.length > 0) yield Buffer.concat(parts);
}
