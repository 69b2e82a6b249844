import { Inflate } from "pako";
import { FileFault } from "../../../src/transfer/read/source-row.ts";

/** Bytes that are handed on at once. */
const UNPACKED_BYTES = 256 * 1024;
/** First byte of gzip's every member. */
const MEMBER_START = 0x1f;

/** The library's types leave out how it says that a member is over. */
type Member = Inflate & { readonly ended: boolean };

/**
 * The text of a gzip file of any number of members, as Node's own unpacking has it: checksums are
 * checked, and what follows the last member and is none is passed over. Browsers' own
 * `DecompressionStream` refuses files of several members.
 */
export async function* unpackGzip(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<Uint8Array> {
  let unpacked: Uint8Array[] = [];
  const begin = () => {
    const member = new Inflate({ chunkSize: UNPACKED_BYTES }) as Member;
    member.onData = (data) => void unpacked.push(data as Uint8Array);
    return member;
  };
  let member = begin();
  for await (const chunk of chunks) {
    if (member.ended) {
      if (chunk[0] !== MEMBER_START) return;
      member = begin();
    }
    member.push(chunk);
    if (member.err !== 0) throw notWhole(name, member.msg || "invalid data");
    // The library hands on whole buffers until a member ends.
    yield* unpacked;
    unpacked = [];
  }
  if (!member.ended) throw notWhole(name, "unexpected end of file");
}

function notWhole(name: string, why: string): FileFault {
  return new FileFault(`${name} is no whole gzip file: ${why}`);
}
