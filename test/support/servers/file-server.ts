/** A real server of its own for the tests of one file, over a directory that goes with it. */

import { afterAll, beforeAll } from "vitest";
import { temporaryDirectory } from "../stores/temporary-directory.ts";
import { type RawAnswer, rawCall } from "./sdk-client.ts";
import { type ServerOptions, type ServerProcess, startServer } from "./server-process.ts";

/** See the file's head. */
export interface FileServer {
  readonly url: string;
  post(path: string, body: unknown): Promise<RawAnswer>;
  readonly process: ServerProcess["process"];
}

type Options = Omit<ServerOptions, "dataDir">;

/**
 * Starts the server before the tests of the file or group that calls this, and stops it after them.
 * `options` may start what the server is to be told of.
 */
export function fileServer(options: () => Options | Promise<Options>): FileServer {
  let server: ServerProcess;
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
  beforeAll(async () => {
    directory = await temporaryDirectory();
    server = await startServer({ ...(await options()), dataDir: directory.path });
  });
  afterAll(async () => {
    await server.stop();
    await directory.remove();
  });
  return {
    get url() {
      return server.url;
    },
    post: (path, body) => rawCall("POST", path, body, { url: server.url }),
    get process() {
      return server.process;
    },
  };
}
