import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { effort } from "../../test/support/effort.ts";
import { EngineFixture } from "../../test/support/engine/engine-fixture.ts";
import { productEnvironment } from "../../test/support/processes/environment.ts";
import { temporaryDirectory } from "../../test/support/stores/temporary-directory.ts";
import { namespaceName } from "../base/ids.ts";
import { seededRandom } from "../base/random.ts";
import { FsObjectStore } from "../storage/directory/fs-object-store.ts";
import { claimFormat } from "../storage/store-format.ts";
import { HINTED, namespaceOfManifest } from "./indexer-messages.ts";

const MAIN = fileURLToPath(new URL("./main.ts", import.meta.url));

// In `npm test` one ends with its server that has started: below.
const isFull = effort({ usual: false, full: true });
test.runIf(isFull)(
  "an indexer ends with a server that ended while the indexer started",
  async () => {
    const directory = await temporaryDirectory();
    const flags = ["index", "--data-dir", directory.path];
    const child = fork(MAIN, flags, {
      execArgv: ["--no-warnings"],
      env: productEnvironment(),
      silent: true,
    });
    const ended = once(child, "exit");
    child.disconnect();
    expect(await ended).toEqual([0, null]);
    await directory.remove();
  },
);

test("an indexer says of which namespace it put a manifest, and ends with its server", async () => {
  const directory = await temporaryDirectory();
  const store = await FsObjectStore.open({ root: directory.path, random: seededRandom(10) });
  await claimFormat(store, directory.path);
  const server = await EngineFixture.open({ store, thresholds: { indexTailEntries: 1 } });
  const child = fork(MAIN, ["index", "--data-dir", directory.path], {
    execArgv: ["--no-warnings"],
    env: productEnvironment(),
    silent: true,
  });
  const said = once(child, "message");
  await server.write("movies", { upsert_rows: [{ id: 1 }] });
  child.send(HINTED);
  const [message] = await said;
  expect(namespaceOfManifest(message)).toBe("movies");
  await server.follow();
  expect((await server.catalog.get(namespaceName("movies"))).stored).toHaveLength(1);
  const ended = once(child, "exit");
  child.disconnect();
  expect(await ended).toEqual([0, null]);
  await server.close();
  await directory.remove();
});

test("no other message is taken for one about a manifest", () => {
  const others = [undefined, null, 7, "movies", {}, { manifestOf: 7 }, { manifestOf: "no name" }];
  expect(others.map(namespaceOfManifest)).toEqual(others.map(() => undefined));
});
