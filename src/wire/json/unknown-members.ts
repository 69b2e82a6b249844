import { clip } from "../../base/bounded-text.ts";
import { invalid } from "../../base/errors.ts";
import { similarName } from "../../base/nearest-name.ts";

/** Unknown members that are described, of one request; the others are counted. */
const DESCRIBED_MAX = 5;
/** How much of a path is quoted, in UTF-16 units. */
const PATH_CHARS_MAX = 100;

/**
 * The members of one request's body that nobody reads. They are passed over, as the API's contract
 * wants, but one of them may be a known one that is misspelt: whoever asks is told.
 */
export class UnknownMembers {
  readonly #isStrict: boolean;
  readonly #described: string[] = [];
  #count = 0;

  /** Where `isStrict`, the first one is an error. */
  constructor({ isStrict = false }: { readonly isStrict?: boolean } = {}) {
    this.#isStrict = isStrict;
  }

  /** Notes the member at `path`, whose siblings could be the `known` ones. Cheap after the first. */
  note(name: string, known: Iterable<string>, path: () => string): void {
    this.#count++;
    if (this.#described.length === DESCRIBED_MAX) return;
    const similar = similarName(clip(name), [...known]);
    const hint = similar === undefined ? "" : `, did you mean "${similar}"?`;
    const quoted = JSON.stringify(clip(path(), PATH_CHARS_MAX));
    if (this.#isStrict) {
      throw invalid(
        `💔 unknown field ${quoted}${hint === "" ? "," : hint} which is refused, since the ` +
          "request is strict (by its header `trawl-strict`, or by --strict)",
      );
    }
    this.#described.push(`unknown field ${quoted} is ignored${hint}`);
  }

  /**
   * What to tell the client, in printable ASCII, as headers need it: some 3 KB at most; undefined
   * if all was known.
   */
  warning(): string | undefined {
    if (this.#count === 0) return undefined;
    const others = this.#count - this.#described.length;
    const text = this.#described.join("; ") + (others === 0 ? "" : `; and ${others} more`);
    return text.replace(
      /[^\x20-\x7e]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
  }
}
