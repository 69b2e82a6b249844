import { resolve } from "node:path";
import { Option } from "commander";
import { countedText } from "../../../base/amount-text.ts";
import { durationText } from "../../../base/duration.ts";
import { ApiClient } from "../../../client/api-client.ts";
import { parseBaseUrl } from "../../../client/base-url.ts";
import type { MigrationSource, SourceOptions } from "../../../transfer/migrate/migration-source.ts";
import type { ProgressTask } from "../../output/progress-reporter.ts";
import type { ClientCommand, CommandContext } from "../client-command.ts";
import { EXIT, UsageError } from "../exit-codes.ts";
import { readJsonArgument } from "../read-argument.ts";

const SOURCES = ["qdrant", "chroma", "pinecone", "turbopuffer", "trawl"] as const;

interface MigrateOptions {
  readonly from: (typeof SOURCES)[number];
  readonly source?: string;
  readonly sourceApiKey?: string;
  readonly namespace: string;
  readonly distanceMetric?: string;
  readonly schema?: string;
  readonly state?: string;
  readonly restart?: true;
}

/** `trawl migrate`: documents of another database, over its API, in a namespace. */
export const migrateCommand: ClientCommand = {
  declare: (program) =>
    program
      .command("migrate")
      .description("bring documents of another database over; continues an interrupted run")
      .argument("<source-url>", "where the other database is; of Pinecone the index's own URL")
      .addOption(
        new Option("--from <database>", "which one it is").choices(SOURCES).makeOptionMandatory(),
      )
      .requiredOption("--namespace <name>", "where the documents come")
      .option("--source <name>", "its collection or namespace (default: the same name)")
      .option("--source-api-key <key>", "its API key [SOURCE_API_KEY]")
      .addOption(
        new Option(
          "--distance-metric <metric>",
          "of the vectors, where the source has none",
        ).choices(["cosine_distance", "euclidean_squared"]),
      )
      .option("--schema <json>", "types and options of attributes; @file reads a file")
      .option("--state <file>", "where it is noted how far it is (default: <namespace>.migrate)")
      .option("--restart", "forget a run that was cut off, and start again"),
  run: async (context, { words: [url = ""], options }) => {
    const { client, clock, output, progress, signal } = context;
    const given = options as unknown as MigrateOptions;
    const { namespace, from, distanceMetric } = given;
    const schema = await schemaOf(given, context);
    const sourceOptions = sourceOptionsOf(url, given, context);
    const statePath = resolve(given.state ?? `${namespace}.migrate`);
    const { discardMigration, migrateNamespace } = await import(
      "../../../transfer/migrate/migrate-namespace.ts"
    );
    if (given.restart) await discardMigration(statePath);
    const { client: sourceClient, name: sourceName } = sourceOptions;
    const request = { from, sourceUrl: sourceClient.url, sourceName, url: client.url, namespace };
    const startedMs = clock.monotonicMs();
    let task: ProgressTask | undefined;
    try {
      const rows = await migrateNamespace(request, {
        source: await openSource(from, sourceOptions),
        client,
        statePath,
        schema,
        distanceMetric,
        signal,
        onBegin: ({ rows: done, total }) => {
          if (done > 0) progress.note(`going on after ${countedText(done, "document")}`);
          task = progress.start({
            label: `migrating ${sourceName}`,
            unit: "document",
            total,
            done,
          });
        },
        onRows: (count) => task?.advance(count),
      });
      task?.end();
      const ms = clock.monotonicMs() - startedMs;
      output.result({ rows, seconds: Math.round(ms) / 1000 }, () => {
        return `brought ${countedText(rows, "document")} to ${namespace} in ${durationText(ms)}`;
      });
      return EXIT.done;
    } finally {
      task?.end();
      sourceClient.close();
      if (signal.aborted)
        progress.note("the same command continues from here; --restart starts again");
    }
  },
};

function sourceOptionsOf(
  url: string,
  { from, source, namespace, sourceApiKey }: MigrateOptions,
  { terminal, clock, random, progress, signal }: CommandContext,
): SourceOptions {
  const { SOURCE_API_KEY: key = "" } = terminal.environment;
  const apiKey = sourceApiKey ?? (key === "" ? undefined : key);
  const isSameApi = from === "trawl" || from === "turbopuffer";
  const client = new ApiClient({
    url: parseBaseUrl(url, "the source's URL"),
    ...(isSameApi && { apiKey }),
    ...(from !== "trawl" && { serverName: from }),
    clock,
    random,
    onRetry: ({ message }, waitMs) => progress.wait(`asking ${from} again`, waitMs, message),
  });
  return { client, name: source ?? namespace, apiKey, signal };
}

async function openSource(
  from: MigrateOptions["from"],
  options: SourceOptions,
): Promise<MigrationSource> {
  switch (from) {
    case "qdrant": {
      const { QdrantSource } = await import("../../../transfer/migrate/qdrant-source.ts");
      return new QdrantSource(options);
    }
    case "chroma": {
      const { ChromaSource } = await import("../../../transfer/migrate/chroma-source.ts");
      return new ChromaSource(options);
    }
    case "pinecone": {
      const { PineconeSource } = await import("../../../transfer/migrate/pinecone-source.ts");
      return new PineconeSource(options);
    }
    case "turbopuffer":
    case "trawl": {
      const { SameApiSource } = await import("../../../transfer/migrate/same-api-source.ts");
      return new SameApiSource(options);
    }
  }
}

async function schemaOf(
  { schema }: MigrateOptions,
  { terminal }: CommandContext,
): Promise<Readonly<Record<string, unknown>>> {
  if (schema === undefined) return {};
  const parsed: unknown = JSON.parse(await readJsonArgument(schema, "--schema", terminal));
  if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) {
    return parsed as Record<string, unknown>;
  }
  throw new UsageError('--schema must be an object, such as {"price": "float"}');
}
