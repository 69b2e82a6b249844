/** What the console uses of the insides of csv-parse, which have no types of their own. */
declare module "*/csv-parse/lib/api/index.js" {
  /** The parser without a stream; `parse` returns what went wrong, and `chunk` is a `Buffer`. */
  export function transform(options: object): {
    parse(
      chunk: Uint8Array | undefined,
      isEnd: boolean,
      push: (record: unknown) => void,
      close: () => void,
    ): Error | undefined;
  };
}
