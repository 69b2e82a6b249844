/**
 * Signals that repeat sooner are one: a terminal's Ctrl-C reaches the program directly, and once
 * more through each launcher in between.
 */
export const SIGNAL_REPEAT_MS = 500;
