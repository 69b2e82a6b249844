import type { Command } from "commander";

/** Options of commands whose directory of backups may be in a bucket. */
export function addBucketOptions(command: Command): Command {
  return command
    .option("--s3-endpoint <url>", "service that has the bucket, where it is not Amazon's")
    .option("--s3-region <region>", "region that requests are signed for")
    .option("--s3-path-style <auto|on|off>", "whether the bucket's name goes into the path");
}
