import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { withSettings } from "../../../scripts/docs/settings-markdown.ts";
import { createProgram } from "../program.ts";
import { type GivenSettings, readSettings } from "./read-settings.ts";
import {
  checkReach,
  fileUmask,
  indexConfig,
  type Machine,
  type ServerConfig,
  serverConfig,
} from "./server-config.ts";
import { environmentName, SETTINGS, settingsOf } from "./setting-table.ts";

const MACHINE: Machine = {
  coreCount: 4,
  memoryBytes: 8 * 2 ** 30,
  memoryLimitBytes: 5 * 2 ** 30,
  isInteractive: false,
};

interface Given {
  readonly flags?: Record<string, string | true>;
  readonly environment?: Record<string, string>;
  readonly file?: unknown;
}

function settingsOfAll({ flags = {}, environment = {}, file }: Given): GivenSettings {
  const withFile = file === undefined ? flags : { ...flags, config: "trawl.json" };
  const readFile = () => (typeof file === "string" ? file : JSON.stringify(file));
  return readSettings({ flags: withFile, environment, readFile });
}

function configOf(given: Given): ServerConfig {
  return serverConfig(settingsOfAll(given), MACHINE);
}

describe("defaults", () => {
  test("are those of the table", () => {
    const { engine, http, log, apiKey } = configOf({});
    expect(http).toMatchObject({ host: "127.0.0.1", port: 8484, slowRequestMs: 1000 });
    expect(apiKey).toBeUndefined();
    expect(http.bodyBytesInFlightMax).toBe(2 * 2 ** 30);
    expect(engine).toMatchObject({
      store: { kind: "directory", root: `${process.cwd()}/trawl-data` },
      queryThreads: 4,
      dividesQueries: true,
      recallSampleRate: 0,
      memoryBytesMax: MACHINE.memoryLimitBytes,
      embedding: { kind: "none" },
      staticModels: [],
      onnxModels: [],
      reranking: { kind: "none" },
    });
    expect(log).toEqual({ level: "info", format: "auto" });
  });

  test("unknown fields are ignored unless asked otherwise", () => {
    expect(configOf({}).http.strict).toBe(false);
    expect(configOf({ flags: { strict: true } }).http.strict).toBe(true);
    expect(configOf({ environment: { TRAWL_STRICT: "true" } }).http.strict).toBe(true);
  });

  test("there is a console unless it is turned off", () => {
    expect(configOf({}).pages.hasConsole).toBe(true);
    expect(configOf({ flags: { "no-console": true } }).pages.hasConsole).toBe(false);
    expect(configOf({ environment: { TRAWL_NO_CONSOLE: "true" } }).pages.hasConsole).toBe(false);
  });

  test("bodies get half of a small memory limit", () => {
    const { http } = configOf({ flags: { "memory-limit": "1GiB" } });
    expect(http.bodyBytesInFlightMax).toBe(512 * 2 ** 20);
  });
});

describe("precedence", () => {
  const environment = { TRAWL_PORT: "2", TRAWL_LOG_LEVEL: "warn" };
  const file = { port: 3, log_level: "error", slow_query_ms: 7 };

  test("flag wins over environment, environment over file", () => {
    const config = configOf({ flags: { port: "1" }, environment, file });
    expect(config.http.port).toBe(1);
    expect(config.log.level).toBe("warn");
    expect(config.http.slowRequestMs).toBe(7);
  });

  test("an empty variable is an unset one", () => {
    expect(configOf({ environment: { TRAWL_PORT: "" }, file }).http.port).toBe(3);
  });

  test("the file can be named by the environment", () => {
    const config = serverConfig(
      readSettings({
        flags: {},
        environment: { TRAWL_CONFIG: "/etc/trawl.json" },
        readFile: (path) => (path === "/etc/trawl.json" ? '{"port": 7}' : ""),
      }),
      MACHINE,
    );
    expect(config.http.port).toBe(7);
  });
});

describe("the indexer that the server starts", () => {
  /** The flags that the server gives it, by name. */
  function flagsOf(given: Given): Record<string, string> {
    const { indexerFlags = [] } = configOf(given);
    const pairs = Array.from({ length: indexerFlags.length / 2 }, (_, i) => [
      indexerFlags[2 * i].slice(2),
      indexerFlags[2 * i + 1],
    ]);
    const flags: Record<string, string> = Object.fromEntries(pairs);
    expect(Object.keys(flags).length).toBe(pairs.length);
    return flags;
  }

  const bucket = { "object-store": "s3://data/a", "s3-region": "r" };
  test.each<Given>([
    {},
    { flags: { "data-dir": "x", "memory-limit": "1GiB", "file-access": "group" } },
    { flags: bucket, environment: { TRAWL_LOG_LEVEL: "warn", TRAWL_S3_PATH_STYLE: "on" } },
    { flags: { ...bucket, "s3-endpoint": "http://127.0.0.1:9000/", "disk-cache-limit": "0" } },
    { flags: { ...bucket, "disk-cache-dir": "c", "disk-cache-limit": "3GiB" } },
    { file: { data_dir: "y", encryption_keys: "k", log_format: "json", port: 1 } },
    { flags: { "otlp-endpoint": "http://x/v1/traces", "otlp-sample-rate": "0.0000001" } },
  ])("has the server's settings: %j", (given) => {
    const flags = flagsOf(given);
    const machine = { ...MACHINE, memoryLimitBytes: 2 ** 29 };
    const index = indexConfig(readSettings({ flags, environment: {} }), machine);
    expect(index).toEqual(indexConfig(settingsOfAll(given), MACHINE));
    const names = settingsOf("index").map(({ name }) => name as string);
    expect(Object.keys(flags).filter((name) => !names.includes(name))).toEqual([]);
  });

  test("writes files for those who may read the server's", () => {
    const flags = flagsOf({ flags: { "file-access": "group" } });
    expect(fileUmask(readSettings({ flags, environment: {} }))).toBe(0o027);
  });
});

describe("values", () => {
  test.each([
    ["512MiB", 512 * 2 ** 20],
    ["4GB", 4e9],
    ["300000000", 3e8],
    ["1 TiB", 2 ** 40],
  ])("%s is %d bytes", (text, bytes) => {
    expect(configOf({ flags: { "memory-limit": text } }).engine.memoryBytesMax).toBe(bytes);
  });

  test.each([
    ["0", 0],
    ["1", 1],
    [".5", 0.5],
    ["0.001", 0.001],
    ["1.0", 1],
  ])("%s is the share %d", (text, share) => {
    const flags = { "recall-sample-rate": text };
    expect(configOf({ flags }).engine.recallSampleRate).toBe(share);
    expect(configOf({ file: { recall_sample_rate: share } }).engine.recallSampleRate).toBe(share);
  });

  test("checkpoints come by themselves where two durations say so", () => {
    expect(configOf({}).engine.checkpoints).toBe(undefined);
    const flags = { "checkpoint-every": "1h", "checkpoint-keep": "2d" };
    const checkpoints = { everyMs: 3_600_000, keepMs: 2 * 86_400_000 };
    expect(configOf({ flags }).engine.checkpoints).toEqual(checkpoints);
  });

  test("a stopping server waits for load balancers, unless it runs in a terminal", () => {
    expect(configOf({}).http.drainDelayMs).toBe(5000);
    const given = readSettings({ flags: {}, environment: {} });
    expect(serverConfig(given, { ...MACHINE, isInteractive: true }).http.drainDelayMs).toBe(0);
    for (const [text, ms] of [
      ["0s", 0],
      ["1.5s", 1500],
      ["5m", 300_000],
    ] as const) {
      const environment = { TRAWL_DRAIN_DELAY: text };
      expect(configOf({ environment }).http.drainDelayMs).toBe(ms);
      const flags = readSettings({ flags: { "drain-delay": text }, environment: {} });
      expect(serverConfig(flags, { ...MACHINE, isInteractive: true }).http.drainDelayMs).toBe(ms);
    }
    expect(() => configOf({ flags: { "drain-delay": "6m" } })).toThrow("from 0 ms to 5 min");
  });

  test("files are for their owner, or for the group, too", () => {
    const umask = (flags: Record<string, string>) =>
      fileUmask(readSettings({ flags, environment: {} }));
    expect(umask({})).toBe(0o077);
    expect(umask({ "file-access": "group" })).toBe(0o027);
  });

  test("hosts and origins are lists, as browsers write them", () => {
    const flags = { "allowed-hosts": "Trawl, *", "allowed-origins": "HTTPS://App.example/,*" };
    expect(configOf({ flags }).http).toMatchObject({
      allowedHosts: ["trawl", "*"],
      allowedOrigins: ["https://app.example", "*"],
    });
    expect(configOf({ file: { allowed_hosts: ["a", "b"] } }).http.allowedHosts).toEqual(["a", "b"]);
  });

  test("embedding settings make one configuration", () => {
    const flags = {
      embedder: "http",
      "embedding-url": "http://localhost:1/v1/",
      "embedding-api-key": "k",
      "embedding-dimensions": "org/model=768, b=a=3",
    };
    expect(configOf({ flags }).engine.embedding).toEqual({
      kind: "http",
      url: "http://localhost:1/v1",
      apiKey: "k",
      modelDimensions: { "org/model": 768, "b=a": 3 },
    });
    const file = { embedder: "http", embedding_url: "https://x", embedding_dimensions: { a: 5 } };
    expect(configOf({ file }).engine.embedding).toMatchObject({ modelDimensions: { a: 5 } });
  });
});

test("static models have names and folders", () => {
  const flags = { "static-models": "acme/potion=./potion, b=/a=b" };
  expect(configOf({ flags }).engine.staticModels).toEqual([
    { name: "acme/potion", path: `${process.cwd()}/potion` },
    { name: "b", path: "/a=b" },
  ]);
});

test("ONNX models have names and folders", () => {
  const flags = { "onnx-models": "acme/minilm=./minilm", "static-models": "b=/b" };
  expect(configOf({ flags }).engine).toMatchObject({
    staticModels: [{ name: "b", path: "/b" }],
    onnxModels: [{ name: "acme/minilm", path: `${process.cwd()}/minilm` }],
  });
});

test("reranking settings make one configuration", () => {
  const flags = {
    reranker: "http",
    "rerank-url": "http://localhost:1/v1/",
    "rerank-api-key": "k",
    "rerank-models": "a,org/b",
  };
  expect(configOf({ flags }).engine.reranking).toEqual({
    kind: "http",
    url: "http://localhost:1/v1",
    apiKey: "k",
    models: ["a", "org/b"],
  });
});

describe("refusals", () => {
  test.each<[Given, string]>([
    [{ environment: { TRAWL_PROT: "1" } }, "unknown environment variable TRAWL_PROT"],
    [{ environment: { TRAWL_PROT: "1" } }, "nearest setting is TRAWL_PORT"],
    [{ environment: { TRAWL_data_dir: "1" } }, "nearest setting is TRAWL_DATA_DIR"],
    [
      { file: { datadir: "x" } },
      "trawl.json: unknown key datadir; the nearest setting is data_dir",
    ],
    [{ file: { "data-dir": "x" } }, "nearest setting is data_dir"],
    [{ file: { config: "x" } }, "unknown key config"],
    [{ file: [] }, "must hold one JSON object"],
    [{ file: "{" }, "cannot read the configuration file trawl.json: "],
    [{ file: '{"port": 1, "port": 2}' }, "trawl.json: port: duplicate key at line 1 column 20"],
    [{ flags: { port: "65536" } }, '--port: "65536" is not a whole number from 0 to 65535'],
    [{ environment: { TRAWL_PORT: "-1" } }, "TRAWL_PORT: "],
    [{ environment: { TRAWL_PORT: "8e3" } }, "TRAWL_PORT: "],
    [{ file: { port: 1.5 } }, "trawl.json: port: 1.5 is not"],
    [
      { flags: { "memory-limit": "1MiB" } },
      '"1MiB" is not a whole number of bytes, such as 512MiB',
    ],
    [{ flags: { "memory-limit": "1MiB" } }, "from 256MiB to 1024TiB"],
    [{ flags: { "api-key": "two words" } }, "--api-key: a secret value has white space"],
    [{ environment: { TRAWL_API_KEY: "ключ" } }, "white space or other characters than ASCII"],
    [{ flags: { "memory-limit": "1 XB" } }, "--memory-limit: "],
    [{ flags: { "log-level": "warning" } }, "the nearest is warn"],
    [
      { flags: { "recall-sample-rate": "1.5" } },
      '--recall-sample-rate: "1.5" is no number from 0 to 1, such as 0.01',
    ],
    [{ flags: { "recall-sample-rate": "-0.1" } }, "is no number from 0 to 1"],
    [{ flags: { "recall-sample-rate": "1%" } }, "is no number from 0 to 1"],
    [{ flags: { "recall-sample-rate": "1e-3" } }, "is no number from 0 to 1"],
    [{ environment: { TRAWL_RECALL_SAMPLE_RATE: "." } }, "is no number from 0 to 1"],
    [{ file: { recall_sample_rate: -1 } }, "is no number from 0 to 1"],
    [{ file: { recall_sample_rate: "half" } }, "is no number from 0 to 1"],
    [{ flags: { "query-threads": "0" } }, "from 1 to 256"],
    [{ flags: { "checkpoint-every": "60" } }, "is not a number with a unit"],
    [{ file: { checkpoint_every: 60 } }, "is not a number with a unit"],
    [{ flags: { "checkpoint-keep": "1s" } }, "from 1 min to 366 d"],
    [{ flags: { "checkpoint-every": "1h" } }, "is set without --checkpoint-keep"],
    [{ flags: { "checkpoint-keep": "1h" } }, "is set without --checkpoint-every"],
    [
      { flags: { "checkpoint-every": "5m", "checkpoint-keep": "7d" } },
      "leave 2016 checkpoints of a namespace, at most 200",
    ],
    [{ flags: { "data-dir": "" } }, "at least one character"],
    [{ file: { allow_public_without_key: "yes" } }, "is neither true nor false"],
    [{ flags: { "embedding-url": "http://x" } }, "--embedding-url is set, but --embedder is none"],
    [{ flags: { embedder: "http" } }, "needs --embedding-url"],
    [{ flags: { embedder: "http", "embedding-url": "x" } }, "x is no http or https URL"],
    [{ flags: { "embedding-dimensions": "a", embedder: "http" } }, "pairs"],
    [{ flags: { "static-models": "./potion" } }, "./potion is no name=folder, such as"],
    [{ flags: { "static-models": "a=" } }, "a= is no name=folder"],
    [{ flags: { "static-models": "trawl/mine=./m" } }, "begins with trawl/"],
    [{ flags: { "static-models": "a=./m,a=./n" } }, "--static-models names a twice"],
    [
      { flags: { "static-models": Array.from({ length: 17 }, (_, i) => `m${i}=./m`).join() } },
      "--static-models names 17 folders; it takes at most 16",
    ],
    [{ flags: { "onnx-models": "./m" } }, "./m is no name=folder, such as acme/minilm="],
    [{ flags: { "onnx-models": "trawl/mine=./m" } }, "--onnx-models: trawl/mine begins with"],
    [{ flags: { "onnx-models": "a=b,b=b,c=b,d=b,e=b" } }, "names 5 folders; it takes at most 4"],
    [
      { flags: { "onnx-models": "a=./m", "static-models": "a=./n" } },
      "--onnx-models names a, as --static-models does; give one of them another name",
    ],
    [{ flags: { "rerank-url": "http://x" } }, "--rerank-url is set, but --reranker is none"],
    [{ flags: { reranker: "words" } }, '--reranker: "words" is not one of: none, http'],
    [{ flags: { embedder: "hash" } }, '--embedder: "hash" is not one of: none, http'],
    [{ environment: { TRAWL_KERNEL: "scalar" } }, "unknown environment variable TRAWL_KERNEL"],
    [{ flags: { "rerank-models": "a" } }, "--rerank-models is set, but --reranker is none"],
    [{ flags: { reranker: "http", "rerank-url": "http://x" } }, "needs --rerank-url"],
    [{ flags: { reranker: "http", "rerank-models": "a" } }, "needs --rerank-url"],
    [
      { flags: { reranker: "http", "rerank-url": "x", "rerank-models": "a" } },
      "--rerank-url: x is no http or https URL",
    ],
    [{ flags: { "allowed-origins": "app.example" } }, "app.example is no origin"],
    [{ flags: { "allowed-origins": "https://app.example/path" } }, "is no origin"],
    [{ flags: { "allowed-origins": "null" } }, "is no origin"],
    [{ flags: { "api-key": "tput_x" } }, "begins with tput_, as query tokens do"],
    [{ flags: { "audit-writes": true } }, "--audit-writes is set, but --audit-log is not"],
    [{ flags: { "tls-cert": "a.pem" } }, "--tls-cert is set without --tls-key"],
    [{ file: { tls_key: "a.pem" } }, "--tls-key is set without --tls-cert"],
    [{ flags: { "allowed-hosts": "a,,b" } }, "is no list of texts"],
    [{ file: { allowed_hosts: [1] } }, "is no list of texts"],
  ])("%j", (given, message) => {
    expect(() => configOf(given)).toThrow(message);
  });

  test("a secret is not repeated", () => {
    expect(() => configOf({ file: { api_key: 12345 } })).toThrow("api_key: a secret value is not");
  });

  test.each(["0.0.0.0", "::", "db.example"])("%s needs a key, or to be wanted", (host) => {
    const reach = (flags: Given["flags"], isLocked = false) =>
      checkReach(configOf({ flags: { ...flags, host } }), isLocked);
    expect(() => reach({})).toThrow("no API key is set");
    expect(() => reach({})).toThrow("--allow-public-without-key");
    reach({}, true);
    reach({ "allow-public-without-key": true });
  });

  test("the loopback needs no key", () => {
    for (const host of ["localhost", "::1", "127.0.0.2"]) {
      checkReach(configOf({ flags: { host } }), false);
    }
  });
});

describe("the program", () => {
  test("hands the given flags over by setting name", async () => {
    const given: Record<string, string | true>[] = [];
    const program = createProgram("1", {
      serve: async (flags) => {
        given.push(flags);
      },
      index: async () => {},
      certify: async () => {},
    });
    const flags = ["--allow-public-without-key", "--no-console"];
    await program.parseAsync(["serve", "--data-dir", "x", ...flags, "--port=1"], { from: "user" });
    expect(given).toEqual([
      { "data-dir": "x", "allow-public-without-key": true, "no-console": true, port: "1" },
    ]);
  });

  test("refuses a flag that is given twice", async () => {
    const none = async () => {};
    const program = createProgram("1", { serve: none, index: none, certify: none });
    const twice = program.parseAsync(["serve", "--port", "1", "--port", "2"], { from: "user" });
    await expect(twice).rejects.toThrow("--port is given twice; say it once");
  });

  test("certify needs a store, and takes the settings of buckets", async () => {
    const given: unknown[] = [];
    const none = async () => {};
    const program = createProgram("1", {
      serve: none,
      index: none,
      certify: async (store, flags) => {
        given.push(store, flags);
      },
    });
    const args = ["certify", "--store", "s3://data", "--s3-region", "x"];
    await program.parseAsync(args, { from: "user" });
    expect(given).toEqual(["s3://data", { "s3-region": "x" }]);
  });

  test("its help names every flag and variable", () => {
    const none = async () => {};
    const program = createProgram("1", { serve: none, index: none, certify: none });
    const help = program.commands[0].helpInformation();
    for (const setting of SETTINGS) {
      expect(help).toContain(`--${setting.name}`);
      expect(help.replaceAll(/\s+/g, " ")).toContain(environmentName(setting));
    }
  });
});

test("docs/configuration.md has the table as `npm run write:settings` writes it", () => {
  const path = new URL("../../../docs/configuration.md", import.meta.url);
  const text = readFileSync(path, "utf8");
  expect(withSettings(text)).toBe(text);
});
