/** How commands end, for scripts that call them. */
export const EXIT = {
  done: 0,
  failed: 1,
  /** The command line was wrong; nothing was done. */
  usage: 2,
  /** All is done but for rows that the server does not take. */
  rejected: 3,
  /** Interrupted; the same command goes on where it was, if its help says so. */
  interrupted: 130,
} as const;

/** One of `EXIT`. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The command line is wrong; `message` says what, and what would be right. Ends with code 2. */
export class UsageError extends Error {}
