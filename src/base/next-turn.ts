/** Resolves when the messages and timers of a thread that are due were heard. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
