/** Backups into a bucket, and of a server whose data is in one, as users run them. */

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { BUILT_PROGRAM } from "../support/processes/built-program.ts";
import { productEnvironment } from "../support/processes/environment.ts";
import { callJson, startServer } from "../support/servers/server-process.ts";
import { freshS3Config, S3_TEST_ENDPOINT, s3Arguments } from "../support/stores/s3-bucket.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

/** The result of a command that must end well. */
async function trawl(...words: string[]) {
  const args = [BUILT_PROGRAM, ...words, "--s3-endpoint", S3_TEST_ENDPOINT, "--json"];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    env: productEnvironment(),
  });
  return JSON.parse(stdout);
}

test("a namespace goes from one bucket through another, and comes back", async () => {
  const directory = await temporaryDirectory();
  const settings = ["--log-level", "warn", "--disk-cache-dir", directory.path];
  const server = await startServer({ arguments: [...s3Arguments(freshS3Config()), ...settings] });
  const { bucket, prefix } = freshS3Config();
  const place = `s3://${bucket}/${prefix}`;
  const to = ["backup", "--to", place, "--url", server.url];
  try {
    const upsert_rows = Array.from({ length: 200 }, (_, id) => ({ id, title: `book ${id}` }));
    await callJson(server.url, "POST", "/v2/namespaces/books", { upsert_rows });
    expect((await trawl(...to)).objects_copied).toBeGreaterThan(0);
    expect(await trawl(...to, "--keep", "1")).toMatchObject({ objects_copied: 0 });
    expect(await trawl("verify", place)).toMatchObject({ backups: 1, faults: [] });
    const from = ["restore", "--from", place, "--namespace", "books", "--as", "books-2"];
    const { namespaces } = await trawl(...from, "--url", server.url);
    expect(namespaces).toMatchObject([{ as: "books-2", documents: 200 }]);
  } finally {
    await server.stop();
    await directory.remove();
  }
});
