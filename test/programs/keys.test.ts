/** Keys from the command line to the official SDK, over a server in a process of its own. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { keyHash, keyId } from "../../src/access/api-key.ts";
import { KeyStore } from "../../src/access/key-store.ts";
import { seededRandom } from "../../src/base/random.ts";
import { openObjectStore } from "../../src/storage/access/open-object-store.ts";
import { InstantClock } from "../support/clocks/instant-clock.ts";
import { pause } from "../support/clocks/pause.ts";
import { testSeed } from "../support/random/seed.ts";
import { runCli } from "../support/servers/run-cli.ts";
import { expectFault, idsOf, rawCall, sdkClient } from "../support/servers/sdk-client.ts";
import { type ServerProcess, startServer } from "../support/servers/server-process.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

let server: ServerProcess;
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
/** Texts of keys and tokens, which nothing that was printed may have. */
const secrets: string[] = [];

const start = () =>
  startServer({ dataDir: directory.path, arguments: ["--query-threads", "1", "--indexer", "off"] });

beforeAll(async () => {
  directory = await temporaryDirectory();
  server = await start();
});

afterAll(async () => {
  expect(await server.stop()).toBe(0);
  for (const secret of secrets) expect(server.output()).not.toContain(secret);
  await directory.remove();
});

function run(words: readonly string[], apiKey?: string) {
  const key = apiKey === undefined ? [] : ["--api-key", apiKey];
  return runCli([...words, "--url", server.url, ...key]);
}

async function created(words: readonly string[], apiKey?: string) {
  const { code, err, json } = await run(["keys", "create", ...words, "--json"], apiKey);
  expect([code, err]).toEqual([0, ""]);
  secrets.push(json.key);
  return json as { key: string; id: string };
}

const client = (apiKey: string) => sdkClient({ baseURL: server.url, apiKey });

describe("keys from the command line", () => {
  let admin: { key: string; id: string };

  test("begin with one that may do everything", async () => {
    const few = ["--name", "x", "--actions", "read", "--namespaces", "a"];
    const refused = await run(["keys", "create", ...few]);
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining("the first key needs the action `admin`"),
    ]);
    await client("any")
      .namespace("tenant-a-docs")
      .write({ upsert_rows: [{ id: 1, tenant: 1 }] });
    admin = await created(["--name", "ops", "--actions", "admin", "--namespaces", "*"]);
    expect(admin).toEqual({
      key: expect.stringMatching(/^tpuf_[A-Za-z0-9]{32}$/),
      id: expect.any(String),
      name: "ops",
      last_four: admin.key.slice(-4),
      actions: ["admin"],
      namespaces: ["*"],
      created_at: expect.any(String),
      last_used_at: null,
      expires_at: null,
    });
    await expectFault(client("any").namespaces(), 401, "unknown API key");
    const without = await run(["keys", "list"]);
    expect([without.code, without.err]).toEqual([1, expect.stringContaining("missing API key")]);
  });

  test("open what they were made for, until they are revoked, also after a restart", async () => {
    const words = ["--actions", "read,write", "--namespaces", "tenant-a-*", "--expires", "30d"];
    const { key, id } = await created(["--name", "tenant a", ...words], admin.key);
    const docs = client(key).namespace("tenant-a-docs");
    await docs.write({ upsert_rows: [{ id: 2, tenant: 2 }] });
    await expectFault(
      client(key)
        .namespace("tenant-b")
        .write({ deletes: [1] }),
      403,
      "`write`",
    );
    await expectFault(client(key).namespaces(), 403, "lacks the action `list`");
    await server.stop();
    server = await start();
    const again = client(key).namespace("tenant-a-docs");
    expect((await again.query({ rank_by: ["id", "asc"], limit: 9 })).rows).toHaveLength(2);
    const listed = await run(["keys", "list"], admin.key);
    expect(listed.out).toMatch(/^ID +NAME +ENDS IN +ACTIONS +NAMESPACES +STATE +LAST USED\n/);
    expect(listed.out).toMatch(
      new RegExp(`^${id} +tenant a +….{4} +read,write +tenant-a-\\* +valid until 20`, "m"),
    );
    expect(listed.out).not.toContain(key);
    const revoked = await run(["keys", "revoke", id], admin.key);
    expect([revoked.code, revoked.out]).toEqual([0, `revoked ${id} (tenant a)\n`]);
    await expectFault(again.query({ rank_by: ["id", "asc"], limit: 9 }), 401, "was revoked");
    expect((await run(["keys", "list"], admin.key)).out).toMatch(/ revoked 20/);
    const absent = await run(["keys", "revoke", "nothing"], admin.key);
    expect([absent.code, absent.err]).toEqual([1, expect.stringContaining("there is no key")]);
  });

  test("are told no name that they do not open, not even of a branch's parent", async () => {
    const all = client(admin.key);
    await all.namespace("tenant-b-docs").write({ upsert_rows: [{ id: 1 }] });
    const branch = all.namespace("tenant-a-branch");
    await branch.branchFrom({ source_namespace: "tenant-b-docs" });
    const words = ["--actions", "read,write", "--namespaces", "tenant-a-*"];
    const { key } = await created(["--name", "a", ...words], admin.key);
    const one = client(key).namespace("tenant-a-branch");
    const patch = { pinning: false };
    for (const shown of [await one.metadata(), await one.updateMetadata(patch)]) {
      expect(JSON.stringify(shown)).not.toContain("tenant-b");
    }
    expect(await branch.metadata()).toMatchObject({ branching: { parent: "tenant-b-docs" } });
  });

  test("sign tokens without a server, which the SDK uses as keys", async () => {
    const signed = await runCli([
      ...["keys", "token", "--key", admin.key, "--namespace", "tenant-a-docs"],
      ...["--filter", '["tenant","Eq",2]', "--expires", "1h", "--json"],
    ]);
    // The clock of the test's command line stands in the past.
    expect(signed.json).toEqual({ token: expect.stringMatching(/^tput_/) });
    const past = client(signed.json.token).namespace("tenant-a-docs");
    await expectFault(past.query({ rank_by: ["id", "asc"], limit: 9 }), 401, "it has expired");
    const answer = await fetch(`${server.url}/trawl/tokens`, {
      method: "POST",
      headers: { authorization: `Bearer ${admin.key}` },
      body: JSON.stringify({ namespace: "tenant-a-docs", filter: ["tenant", "Eq", 2] }),
    });
    const { token } = (await answer.json()) as { token: string };
    secrets.push(token);
    const docs = client(token).namespace("tenant-a-docs");
    expect(idsOf(await docs.query({ rank_by: ["id", "asc"], limit: 9 }))).toEqual([2]);
    await expectFault(docs.write({ deletes: [2] }), 403, "a token may only query");
    await expectFault(docs.metadata(), 403, "a token may only query");
  });
});

test("a server takes over what others have changed in its store", async () => {
  const other = await temporaryDirectory();
  const environment = { TRAWL_API_KEY: "boot" };
  const flags = ["--query-threads", "1", "--indexer", "off"];
  const alone = await startServer({ dataDir: other.path, arguments: flags, environment });
  const config = { kind: "directory", root: other.path } as const;
  const random = seededRandom(testSeed());
  const { store } = await openObjectStore(config, { clock: new InstantClock(), random });
  const keys = new KeyStore({ store, random, log: () => {} });
  const text = "tpuf_made-by-another-server";
  const hash = keyHash(text);
  const id = keyId(hash);
  const status = async () =>
    (
      await rawCall("GET", "/v1/namespaces", undefined, {
        url: alone.url,
        headers: { authorization: `Bearer ${text}` },
      })
    ).status;
  const until = async (wanted: number) => {
    while ((await status()) !== wanted) await pause(50);
  };
  expect(await status()).toBe(401);
  const rights = { actions: ["list"], namespaces: ["*"] } as const;
  await keys.create({ id, hash, name: "x", lastFour: "rver", createdAtMs: 0, ...rights });
  await keys.announce();
  await until(200);
  await keys.revoke(id, 0);
  await keys.announce();
  await until(401);
  expect(await alone.stop()).toBe(0);
  await other.remove();
});

test.each([
  [["keys", "create", "--name", "x"], "required option '--actions"],
  [["keys", "token", "--namespace", "n", "--filter", "[]", "--expires", "1h"], "name the key"],
  [
    ["keys", "token", "--key", "k", "--namespace", "n", "--filter", "{", "--expires", "1h"],
    "--filter: ",
  ],
  [
    ["keys", "token", "--key", "k", "--namespace", "a/b", "--filter", "[]", "--expires", "1h"],
    "--namespace: ",
  ],
  [
    [
      "keys",
      "token",
      "--key",
      "k",
      "--namespace",
      "n",
      "--filter",
      '["And",[]]',
      "--expires",
      "9w",
    ],
    "--expires: 9w is not",
  ],
  [["keys", "revoke"], "missing required argument 'id'"],
  [["keys", "crate"], "unknown command 'crate'"],
])("%j ends with code 2", async (words, said) => {
  const { code, err } = await runCli(words);
  expect([code, err]).toEqual([2, expect.stringContaining(said)]);
});
