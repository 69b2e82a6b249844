/** The command line is wrong; `message` says what, and what would be right. Ends with code 2. */
export class UsageError extends Error {}
