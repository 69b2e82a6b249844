/** Texts for models that take no long ones. */

import { isDatabaseError } from "../base/errors.ts";

/** Longest text sent to a model, in UTF-16 units: about 8,192 tokens of English. */
const MODEL_TEXT_CHARS_MAX = 32_768;
/** How often texts that are too long for their model are halved before the request fails. */
const HALVINGS_MAX = 5;

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
      if (!isTooLong(error) || halvings >= HALVINGS_MAX) throw error;
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

function isTooLong(error: unknown): boolean {
  return isDatabaseError(error, "invalid") && TOO_LONG.test(error.message);
}
