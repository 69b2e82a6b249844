/** Where the server says that a query found what it read: of this one run, not of the namespace. */

const WORDS: ReadonlyMap<string, string> = new Map([
  ["hot", "all in memory (hot)"],
  ["warm", "in memory for another thread (warm)"],
  ["cold", "read from the store (cold)"],
]);

/** The API's `cache_temperature` in words; a word of a newer server stands as it is. */
export function temperatureWords(temperature: unknown): string {
  return WORDS.get(String(temperature)) ?? String(temperature);
}
