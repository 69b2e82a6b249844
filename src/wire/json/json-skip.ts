import { JSON_BYTE, type JsonTokens, startsNumber } from "./json-tokens.ts";

/**
 * Passes over one value of any kind, in as many steps as the caller likes. Its syntax is checked,
 * but nothing is built or kept of it: a name that an object has twice is not found.
 */
export class JsonSkip {
  readonly #tokens: JsonTokens;
  readonly #depth: number;
  /** Whether a value comes next, not what follows one. */
  #isAtValue = true;

  /** The value is what `tokens` read next. */
  constructor(tokens: JsonTokens) {
    this.#tokens = tokens;
    this.#depth = tokens.stack.depth;
  }

  /**
   * Passes over at least `bytes`, if the value has as many left; true once its end is passed. A
   * step that was interrupted begins anew.
   */
  step(bytes: number): boolean {
    const { window, stack } = this.#tokens;
    const end = window.at + bytes;
    let isAtValue = this.#isAtValue;
    do {
      if (isAtValue) this.#begin();
      isAtValue = !isAtValue && this.#advance();
      if (!isAtValue && stack.depth === this.#depth) return true;
    } while (window.at < end);
    this.#isAtValue = isAtValue;
    return false;
  }

  /** Passes a scalar, or the bracket that opens a container. */
  #begin(): void {
    const tokens = this.#tokens;
    const byte = tokens.peek();
    if (byte === JSON_BYTE.quote) tokens.skipString();
    else if (byte === JSON_BYTE.arrayStart) tokens.open(false);
    else if (byte === JSON_BYTE.objectStart) tokens.open(true);
    else if (byte === JSON_BYTE.t) tokens.literal("true");
    else if (byte === JSON_BYTE.f) tokens.literal("false");
    else if (byte === JSON_BYTE.n) tokens.literal("null");
    else if (startsNumber(byte)) tokens.number();
    else throw tokens.unexpected("expected a value");
  }

  /** Goes on inside the innermost container: true to its next value, false where it ends. */
  #advance(): boolean {
    const tokens = this.#tokens;
    if (tokens.stack.isObject) return tokens.nextName() !== undefined;
    return !tokens.closes(JSON_BYTE.arrayEnd);
  }
}
