/** Texts for models that take no long ones. */

import { DatabaseError, type ErrorDetail } from "../base/errors.ts";

/** Longest text sent to a model, in UTF-16 units: about 8,192 tokens of English. */
const MODEL_TEXT_CHARS_MAX = 32_768;
/** How often texts that are too long for their model are halved before the request fails. */
const HALVINGS_MAX = 5;

/** A service refuses a text that is longer than its model takes. */
class TextTooLong extends DatabaseError {}

/**
 * Builds the error for a model or a text that a service refuses; `said` are the service's words,
 * which alone tell that a text is too long.
 */
export function refusedByModel(message: string, said: string, detail: ErrorDetail): DatabaseError {
  const Fault = TOO_LONG.test(said) ? TextTooLong : DatabaseError;
  return new Fault("invalid", message, detail);
}

/**
 * Calls `ask` with the texts, cut to the greatest length, and while it throws that they are too
 * long, with their first halves.
 */
export async function askWithCutTexts<T>(
  texts: readonly string[],
  ask: (texts: readonly string[]) => Promise<T>,
): Promise<T> {
  let unitsMax = MODEL_TEXT_CHARS_MAX;
  for (let halvings = 0; ; halvings++) {
    const cut = texts.map((text) => cutText(text, unitsMax));
    try {
      return await ask(cut);
    } catch (error) {
      if (!(error instanceof TextTooLong) || halvings >= HALVINGS_MAX) throw error;
      unitsMax = Math.max(...cut.map((text) => text.length)) >> 1;
    }
  }
}

/** Cuts a text to the greatest length that models are sent. */
export function cutModelText(text: string): string {
  return cutText(text, MODEL_TEXT_CHARS_MAX);
}

/** Cuts to so many UTF-16 units without leaving half of a surrogate pair. */
export function cutText(text: string, unitsMax: number): string {
  if (text.length <= unitsMax) return text;
  const last = text.charCodeAt(unitsMax - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? unitsMax - 1 : unitsMax);
}

/** Services have no common code for a text that is too long, but similar words. */
const TOO_LONG =
  /context length|too long|too many tokens|maximum.{0,40}tokens|tokens.{0,40}(exceed|limit)/i;
