/** A program for tests of the launcher: waits for SIGTERM and exits with the code it was given. */

process.once("SIGTERM", () => process.exit(Number(process.argv[2])));
process.stdin.resume();
process.stdout.write("waiting\n");
