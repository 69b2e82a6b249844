/** The server of a model run: started in a temporary directory, restarted when the run says so. */

import { seededRandom } from "../../../src/base/random.ts";
import { testSeed } from "../random/seed.ts";
import { temporaryDirectory } from "../stores/temporary-directory.ts";
import { type ModelRun, runModel } from "./model-run.ts";
import { startServer } from "./server-process.ts";

/** Runs `runModel` against a real server of its own, from the seed of the test. */
export async function runModelOnServer(
  size: Omit<ModelRun, "seed" | "send" | "restart">,
): Promise<{ writes: number; queries: number; restarts: number }> {
  const seed = testSeed();
  const directory = await temporaryDirectory();
  const threads = String(1 + seededRandom(seed).below(2));
  const start = () =>
    startServer({
      dataDir: directory.path,
      arguments: ["--query-threads", threads, "--log-level", "warn"],
    });
  let server = await start();
  const counts = { writes: 0, queries: 0, restarts: 0 };
  try {
    await runModel({
      ...size,
      seed,
      send: async (path, body) => {
        counts[path.endsWith("/query") ? "queries" : "writes"]++;
        const headers = { "content-type": "application/json" };
        const response = await fetch(server.url + path, { method: "POST", headers, body });
        return { status: response.status, text: await response.text() };
      },
      restart: async (way) => {
        counts.restarts++;
        if (way === "kill") await server.kill();
        else if ((await server.stop()) !== 0) throw new Error(server.output());
        server = await start();
      },
    });
  } catch (error) {
    console.error(server.output().slice(-3000));
    throw error;
  } finally {
    await server.kill();
    await directory.remove();
  }
  return counts;
}
