/** Keys and secrets are in no log line, no message, no answer and no metric, whatever goes wrong. */

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { CommanderError } from "commander";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createProgram } from "../../src/cli/program.ts";
import { readSettings } from "../../src/cli/settings/read-settings.ts";
import { serverConfig } from "../../src/cli/settings/server-config.ts";
import { thisMachine } from "../../src/cli/settings/this-machine.ts";
import { type RawAnswer, rawCall } from "../support/servers/sdk-client.ts";
import { type ServerProcess, startServer } from "../support/servers/server-process.ts";
import { TLS_PAIRS } from "../support/servers/tls-pairs.ts";
import { startScriptedS3 } from "../support/stores/scripted-s3.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

/** What must not be seen, each by its name. */
const PLANTED = {
  apiKey: "planted-api-key-41d2",
  wrongKey: "planted-wrong-key-77aa",
  storeSecret: "planted/store+secret=93bf",
  storeToken: "planted-session-token-5e0c",
  embeddingKey: "planted-embedding-key-2c6d",
  sourceKey: "planted-source-key-b81e",
  sourceNumber: "48151623424815162342",
  urlPassword: "planted-password-0f3a",
  encryptionKey: Buffer.from("planted-encryption-key-of-32-by.").toString("base64"),
  brokenKey: "planted-broken-encryption-key-19e7-too-long-for-one",
  tlsKey: "planted-tls-key-8d20",
} as const;

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let keys: string;

beforeAll(async () => {
  directory = await temporaryDirectory();
  keys = join(directory.path, "keys");
  await mkdir(keys);
  await writeFile(join(keys, "good"), PLANTED.encryptionKey);
  await writeFile(join(keys, "broken"), PLANTED.brokenKey);
});

afterAll(() => directory.remove());

/** Fails with the name of the secret and what stands around it. */
function expectNoSecret(where: string, text: string): void {
  for (const [name, secret] of Object.entries(PLANTED)) {
    const forms = [secret, encodeURIComponent(secret), Buffer.from(secret).toString("base64")];
    const found = forms.map((form) => text.indexOf(form)).find((at) => at >= 0) ?? -1;
    const around = found < 0 ? "" : text.slice(Math.max(0, found - 200), found + 200);
    expect(around, `${name} is in ${where}`).toBe("");
  }
}

function expectClean(where: string, answer: RawAnswer): void {
  expectNoSecret(where, answer.text + JSON.stringify([...answer.headers]));
}

type Environment = Readonly<Record<string, string>>;

/** What a server prints with these settings until it listens, or does not start. */
async function printed(flags: readonly string[], environment: Environment = {}): Promise<string> {
  const place = flags.includes("--object-store") ? [] : ["--data-dir", `${directory.path}/unused`];
  const all = [...place, "--query-threads", "1", "--log-level", "debug", ...flags];
  const refusal = await refusalOf(all, environment);
  if (refusal !== undefined) return refusal;
  try {
    const server = await startServer({ arguments: all, environment });
    await server.stop();
    return server.output();
  } catch (error) {
    return String(error);
  }
}

/** What the program says of settings that it refuses without a look at the machine. */
async function refusalOf(
  flags: readonly string[],
  environment: Environment,
): Promise<string | undefined> {
  let said = "";
  const none = async () => {};
  const program = createProgram("0.0.0-test", {
    serve: async (given) =>
      void serverConfig(readSettings({ flags: given, environment }), thisMachine()),
    index: none,
    certify: none,
  });
  const say = (text: string) => {
    said += text;
  };
  for (const command of [program, ...program.commands])
    command.exitOverride().configureOutput({ writeOut: say, writeErr: say });
  try {
    await program.parseAsync(["serve", ...flags], { from: "user" });
    return undefined;
  } catch (error) {
    // The process ends with what was said of flags, and prints other errors.
    return error instanceof CommanderError ? said : String(error);
  }
}

const STORE = {
  AWS_ACCESS_KEY_ID: "planted-id",
  AWS_SECRET_ACCESS_KEY: PLANTED.storeSecret,
  AWS_SESSION_TOKEN: PLANTED.storeToken,
};
const KEYS = { ...STORE, TRAWL_API_KEY: PLANTED.apiKey };
const SECRETS = { ...KEYS, TRAWL_EMBEDDING_API_KEY: PLANTED.embeddingKey };

test.concurrent("settings that are refused are not repeated where they are secret", async () => {
  const file = async (name: string, text: string) => {
    const path = join(directory.path, name);
    await writeFile(path, text);
    return path;
  };
  const { apiKey, embeddingKey, urlPassword } = PLANTED;
  const broken = await file("broken.json", `{"api_key": "${apiKey}", port: 1}`);
  const cut = await file("cut.json", `{"embedding_api_key": "${embeddingKey}`);
  const unquoted = await file("unquoted.json", `{"api_key": ${apiKey}}`);
  const wrong = await file("wrong.json", `{"api_key": ["${apiKey}"]}`);
  const unknown = await file("unknown.json", `{"api_keys": "${apiKey}"}`);
  const list = await file("list.json", `["${apiKey}"]`);
  const twice = await file("twice.json", `{"api_key": "${apiKey}", "api_key": "${apiKey}"}`);
  const ends = await file("ends.json", `{"port": 1} ${apiKey}`);
  const certificate = await file("cert.pem", TLS_PAIRS[0].cert);
  const tlsKey = await file("key.pem", `-----BEGIN PRIVATE KEY-----\n${PLANTED.tlsKey}\n`);
  const cases: [flags: string[], environment?: Record<string, string>][] = [
    ...[broken, cut, unquoted, wrong, unknown, list, twice, ends].map((path): [string[]] => [
      ["--config", path],
    ]),
    [["--api-key", `${apiKey} with a space`]],
    [["--api-key", apiKey, "--api-key", apiKey]],
    [[`--api-keys=${apiKey}`]],
    [[`--apikey=${apiKey}`, "--port", "1"]],
    [["--embedding-key", embeddingKey]],
    [["--embedding-api-key", embeddingKey, "--port", "x"]],
    [["--api-key", apiKey, embeddingKey]],
    [["--api-key", `${apiKey}\u0007`]],
    [["--port", "x"], SECRETS],
    [[], SECRETS],
    [[], { TRAWL_API_KEY: `${apiKey}\n` }],
    [[], { TRAWL_API_KEYS: apiKey }],
    [[], { ...SECRETS, TRAWL_EMBEDDING_KEY: embeddingKey }],
    [["--embedder", "http", "--embedding-url", `ftp://me:${urlPassword}@localhost/v1`]],
    [["--embedder", "http", "--embedding-url", `http://me:${urlPassword}@:x/v1`]],
    [["--object-store", "s3://bucket", "--s3-endpoint", `ftp://me:${urlPassword}@localhost`]],
    [["--object-store", "s3://bucket", "--s3-endpoint", `http://me:${urlPassword}@localhost`]],
    [["--object-store", `https://me:${urlPassword}@bucket.example`]],
    [["--object-store", "s3://bucket", "--s3-endpoint", "http://127.0.0.1:1"], KEYS],
    [["--encryption-keys", join(directory.path, "absent")], KEYS],
    [["--tls-cert", certificate, "--tls-key", tlsKey], KEYS],
    [["--tls-cert", tlsKey, "--tls-key", tlsKey], KEYS],
    [["--audit-log", join(directory.path, "absent", "audit")], KEYS],
  ];
  for (const [flags, environment] of cases) {
    const output = await printed(flags, environment);
    expectNoSecret(`what is printed for ${flags[0] ?? Object.keys(environment ?? {})}`, output);
  }
});

test.concurrent("a failing store is told in its words, without what signs requests", async () => {
  // It repeats all that it was sent.
  const store = await startScriptedS3(({ headers, url }, response) => {
    const said = `${JSON.stringify(headers)} ${url}`.replaceAll(/[<&]/g, "");
    const code = response.writeHead(403, { "content-type": "application/xml" });
    code.end(`<Error><Code>SignatureDoesNotMatch</Code><Message>${said}</Message></Error>`);
  });
  try {
    const flags = ["--object-store", "s3://bucket", "--s3-endpoint", store.url];
    const output = await printed([...flags, "--s3-region", "eu-west-1"], KEYS);
    expect(output).toContain("SignatureDoesNotMatch");
    expectNoSecret("what is printed for a store that refuses", output);
  } finally {
    await store.close();
  }
});

test.concurrent("keys and tokens that the server makes are in their answers alone", async () => {
  const audit = join(directory.path, "audit.log");
  const server = await startServer({
    dataDir: join(directory.path, "keys-data"),
    arguments: [
      ...["--query-threads", "1", "--log-level", "debug", "--indexer", "off"],
      ...["--audit-log", audit, "--audit-writes"],
    ],
    environment: { TRAWL_API_KEY: PLANTED.apiKey },
  });
  const { url } = server;
  const call = (method: string, path: string, by: string, body?: unknown) =>
    rawCall(method, path, body, { url, headers: { authorization: `Bearer ${by}` } });
  const made = await call("POST", "/trawl/keys", PLANTED.apiKey, {
    name: "app",
    actions: ["read", "write"],
    namespaces: ["a"],
  });
  const { key, id } = made.json;
  const asked = { namespace: "a", filter: ["tenant", "Eq", 7] };
  const { token } = (await call("POST", "/trawl/tokens", key, asked)).json;
  const payload = token.split(".")[0].slice("tput_".length);
  const answers: RawAnswer[] = [];
  const write = { upsert_rows: [{ id: 1 }] };
  for (const by of [key, token, `${key}x`, `${token}x`, payload]) {
    answers.push(await call("POST", "/v2/namespaces/a", by, write));
    answers.push(await call("POST", "/v2/namespaces/b/query", by, "{"));
  }
  answers.push(await call("POST", "/trawl/keys", key, { name: key }));
  answers.push(await call("DELETE", `/trawl/keys/${id}`, PLANTED.apiKey));
  for (const by of [key, token]) answers.push(await call("GET", "/v1/namespaces", by));
  for (const path of ["/trawl/keys", "/metrics"])
    answers.push(await call("GET", path, PLANTED.apiKey));
  const statuses = new Set(answers.map(({ status }) => status));
  expect([...statuses].sort()).toEqual([200, 401, 403]);
  await server.stop();
  const places = [
    server.output(),
    await readFile(audit, "utf8"),
    ...answers.map(({ text, headers }) => text + JSON.stringify([...headers])),
  ];
  for (const text of places) {
    expectNoSecret("what the server says", text);
    for (const secret of [key, token, payload]) expect(text).not.toContain(secret);
  }
  expect(places[1]).toContain(id);
});

/** An embedding service that answers with an error and repeats the key that it was sent. */
async function echoingService(status: () => number) {
  const service = createServer((request, response) => {
    request.resume();
    const said = `${"x".repeat(180)} Incorrect key: ${request.headers.authorization}`;
    response.writeHead(status(), { "content-type": "text/plain" }).end(said);
  });
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  const { port } = service.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    close: () => new Promise((resolve) => service.close(resolve)),
  };
}

/** What users store and ask for; answers may have it. */
const USER_DATA = {
  stored: "planted-stored-text-61c0",
  asked: "planted-asked-words-d27e",
  number: 815_162_342,
  unknownName: "planted-unknown-name-9f4b",
} as const;

test.concurrent("lines of slow queries have nothing that users stored or asked for", async () => {
  const server = await startServer({
    dataDir: join(directory.path, "user-data"),
    arguments: [
      ...["--query-threads", "1", "--indexer", "off", "--log-format", "json"],
      ...["--slow-query-ms", "1"],
    ],
    replaced: { http: { slowRequestsLoggedMax: 1000 } },
  });
  const { stored, asked, number, unknownName } = USER_DATA;
  const call = (path: string, body: unknown) => rawCall("POST", path, body, { url: server.url });
  const vector = [number, 1];
  try {
    const schema = { title: { type: "string", full_text_search: true, regex: true, fuzzy: true } };
    // So many that each query takes longer than a millisecond.
    const rows = Array.from({ length: 3000 }, (_, id) => ({
      ...{ id, title: `${stored} ${asked} ${id}`, n: number + id, v: vector },
    }));
    const write = { upsert_rows: rows, schema, distance_metric: "cosine_distance" };
    expect((await call("/v2/namespaces/n", write)).status).toBe(200);
    const filters = [
      ["title", "Regex", `${asked}.*`],
      ["title", "Fuzzy", asked, { max_edit_distance: [{ min_query_chars: 3, distance: 1 }] }],
      ["title", "In", [asked, stored]],
      ["title", "ContainsAllTokens", asked],
      ["n", "Gt", number],
      ["v", "Eq", vector],
      [unknownName, "Eq", asked],
      ["n", "Eq", asked],
    ];
    const rankings = [
      ["id", "asc"],
      ["title", "BM25", asked],
      ["v", "ANN", vector],
    ];
    for (const filter of filters) {
      for (const rank_by of rankings) {
        const many = Array(30).fill(filter);
        const query = { rank_by, filters: ["Or", many], top_k: 1000, include_attributes: true };
        await call("/v2/namespaces/n/query", query);
        await call("/v2/namespaces/n/explain_query", { ...query, analyze: true });
      }
    }
    const sums = { [unknownName]: ["Sum", "n"] };
    await call("/v2/namespaces/n/query", { aggregate_by: sums, group_by: ["title"], top_k: 9 });
  } finally {
    await server.stop();
  }
  const slow = server
    .output()
    .split("\n")
    .filter((line) => /"message":"slow query"/.test(line));
  expect(slow.length).toBeGreaterThan(20);
  for (const [name, value] of Object.entries(USER_DATA)) {
    expect(slow.join("\n"), name).not.toContain(String(value));
  }
});

test.concurrent("requests that fail leave no secret in answers, logs and metrics", async () => {
  let status = 401;
  const service = await echoingService(() => status);
  const server = await startServer({
    dataDir: join(directory.path, "data"),
    arguments: [
      ...["--query-threads", "1", "--log-level", "debug", "--slow-query-ms", "1"],
      ...["--indexer", "off"],
      ...["--embedder", "http", "--embedding-url", service.url, "--encryption-keys", keys],
    ],
    environment: SECRETS,
  });
  try {
    await failInEveryWay(server, async (next, run) => {
      status = next;
      await run();
    });
    const key = { authorization: `Bearer ${PLANTED.apiKey}` };
    const metrics = await rawCall("GET", "/metrics", undefined, { url: server.url, headers: key });
    expect(metrics.status).toBe(200);
    expectClean("/metrics", metrics);
  } finally {
    await server.stop();
    await service.close();
  }
  const output = server.output();
  expect(output).toContain('"status":401');
  expect(output).toContain("embedding service");
  expectNoSecret("the log", output);
});

async function failInEveryWay(
  { url }: ServerProcess,
  withStatus: (status: number, run: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const call = async (method: string, path: string, body?: unknown, authorization?: string) => {
    const sent = authorization ?? `Bearer ${PLANTED.apiKey}`;
    const answer = await rawCall(method, path, body, { url, headers: { authorization: sent } });
    expectClean(`the answer to ${method} ${path} ${JSON.stringify(body)?.slice(0, 80)}`, answer);
    return answer.status;
  };
  const write = (body: unknown, name = "a") => call("POST", `/v2/namespaces/${name}`, body);
  const { wrongKey, apiKey, sourceKey, sourceNumber, embeddingKey } = PLANTED;
  for (const authorization of [
    `Bearer ${wrongKey}`,
    wrongKey,
    `Basic ${wrongKey}`,
    `Bearer ${wrongKey} ${apiKey}`,
    `Bearer ${apiKey}x`,
    `bearer: ${apiKey}`,
  ]) {
    expect(await call("GET", "/v1/namespaces", undefined, authorization)).toBe(401);
  }
  expect(await write({ upsert_rows: [{ id: 1, a: "x" }] })).toBe(200);
  const copy = (source_api_key: unknown, source = "a") =>
    write({ copy_from_namespace: { source_namespace: source, source_api_key } }, "b");
  expect(await copy(sourceKey, "absent")).toBe(404);
  expect(await copy([sourceKey])).toBe(422);
  expect(await copy({ key: sourceKey })).toBe(422);
  expect(await write(`{"copy_from_namespace":{"source_api_key":${sourceNumber}}}`, "b")).toBe(422);
  expect(await write({ copy_from_namespace: { source_api_key: sourceKey } }, "b")).toBe(422);
  const region = { source_namespace: "a", source_region: "mars", source_api_key: sourceKey };
  expect(await write({ copy_from_namespace: region }, "b")).toBe(400);
  expect(await write({ copy_from_namespace: { ...region, deletes: [1] }, deletes: [1] })).toBe(400);
  for (const key_name of ["good", "broken", "absent", "../good"]) {
    const encryption = { mode: "customer-managed", key_name };
    const expected = key_name === "good" ? 200 : 400;
    expect(await write({ encryption, upsert_rows: [{ id: 1 }] }, "locked")).toBe(expected);
  }
  await writeFile(join(keys, "good"), PLANTED.brokenKey);
  await write({ upsert_rows: [{ id: 2 }] }, "locked");
  await call("GET", "/v1/namespaces/locked/metadata");
  const embedded = {
    distance_metric: "cosine_distance",
    schema: { text: { type: "string", embed: { model: "any", dims: 4 } } },
    upsert_rows: [{ id: 1, text: "hello" }],
  };
  for (const status of [400, 401, 403, 404, 429, 500]) {
    await withStatus(status, async () => {
      expect(await write(embedded, `embedded-${status}`)).toBeGreaterThanOrEqual(400);
    });
  }
  expect(await call("GET", `/v1/namespaces?api_key=${apiKey}&page_size=0`)).toBe(400);
  expect(await call("POST", `/v2/namespaces/a/query?key=${embeddingKey}`, "{")).toBe(400);
  expect(await call("GET", "/nowhere")).toBe(404);
}
