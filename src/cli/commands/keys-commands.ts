/** `trawl keys …`: makes, lists and revokes API keys, and signs tokens. */

import type { Command } from "commander";
import { countedText } from "../../base/amount-text.ts";
import { formatTime } from "../../base/clock.ts";
import { createKey, type ListedKey, listKeys, revokeKey } from "../../client/api-keys.ts";
import { pairsText, tableText } from "../output/table-text.ts";
import type { ClientCommand } from "./client-command.ts";
import { EXIT, UsageError } from "./exit-codes.ts";

/** The group that these commands are in; made by the first that is declared. */
function keysGroup(program: Command): Command {
  const made = program.commands.find((command) => command.name() === "keys");
  if (made !== undefined) return made;
  const group = program.command("keys").description("make, list and revoke API keys");
  return group.helpOption("--help", "print this help");
}

interface CreateOptions {
  readonly name: string;
  readonly actions: readonly string[];
  readonly namespaces: readonly string[];
  readonly expires?: string;
  readonly requestsPerSecond?: number;
  readonly bytesPerSecond?: number;
}

const keysCreate: ClientCommand = {
  declare: (program) =>
    keysGroup(program)
      .command("create")
      .description("make a key and show it, this once")
      .requiredOption("--name <name>", "what it is for")
      .requiredOption("--actions <list>", "of read, write, list, admin: read,list", listOf)
      .requiredOption(
        "--namespaces <list>",
        "names and patterns: 'docs,tenant-a-*', or '*'",
        listOf,
      )
      .option("--expires <duration>", "when it ends, such as 30d (default: never)")
      .option("--requests-per-second <number>", "how many a server answers", numberOf)
      .option("--bytes-per-second <number>", "of requests and answers together", numberOf),
  run: async ({ client, output, signal }, { options }) => {
    const { name, actions, namespaces, ...given } = options as unknown as CreateOptions;
    const created = await createKey(
      client,
      {
        name,
        actions,
        namespaces,
        expires_in: given.expires,
        requests_per_second: given.requestsPerSecond,
        bytes_per_second: given.bytesPerSecond,
      },
      signal,
    );
    output.result(created, () =>
      pairsText([
        ["key", created.key],
        ["id", created.id],
        ["actions", created.actions.join(", ")],
        ["namespaces", created.namespaces.join(", ")],
        ["expires", created.expires_at ?? "never"],
        ["", "The key is shown this once: keep it where secrets are kept."],
      ]),
    );
    return EXIT.done;
  },
};

const keysList: ClientCommand = {
  declare: (program) =>
    keysGroup(program).command("list").description("list keys, without their texts"),
  run: async ({ client, output, clock, signal }) => {
    const { keys } = await listKeys(client, signal);
    output.result({ keys }, () => listText(keys, formatTime(clock.nowMs())));
    return EXIT.done;
  },
};

const keysRevoke: ClientCommand = {
  declare: (program) =>
    keysGroup(program)
      .command("revoke")
      .description("end a key, and the tokens that it has signed")
      .argument("<id>", "as `trawl keys list` shows it"),
  run: async ({ client, output, signal }, { words: [id = ""] }) => {
    const revoked = await revokeKey(client, id, signal);
    output.result(revoked, () => `revoked ${revoked.id} (${revoked.name})`);
    return EXIT.done;
  },
};

interface TokenOptions {
  readonly key?: string;
  readonly apiKey?: string;
  readonly namespace: string;
  readonly filter: string;
  readonly expires: string;
}

const keysToken: ClientCommand = {
  declare: (program) =>
    keysGroup(program)
      .command("token")
      .description("sign a token for queries of one namespace; asks no server")
      .option("--key <key>", "the key that signs [TURBOPUFFER_API_KEY]")
      .requiredOption("--namespace <name>", "the one that may be queried")
      .requiredOption("--filter <json>", 'what every query must meet: \'["tenant","Eq",7]\'')
      .requiredOption("--expires <duration>", "when it ends, such as 1h"),
  run: async ({ output, clock, terminal }, { options }) => {
    const { namespace, filter, expires, ...given } = options as unknown as TokenOptions;
    const key = given.key ?? given.apiKey ?? terminal.environment.TURBOPUFFER_API_KEY ?? "";
    if (key === "") throw new UsageError("name the key that signs: --key or TURBOPUFFER_API_KEY");
    const { signQueryToken } = await import("./sign-query-token.ts");
    const token = signQueryToken({ key, namespace, filter, expires }, clock.nowMs());
    output.result({ token }, () => token);
    return EXIT.done;
  },
};

/** All of them. */
export const KEYS_COMMANDS: readonly ClientCommand[] = [
  keysCreate,
  keysList,
  keysRevoke,
  keysToken,
];

function listOf(text: string): string[] {
  return text.split(",").map((part) => part.trim());
}

function numberOf(text: string): number {
  const number = Number(text);
  if (text.trim() !== "" && number > 0) return number;
  throw new UsageError(`${text} is no number greater than 0`);
}

function listText(keys: readonly ListedKey[], now: string): string {
  if (keys.length === 0) return "no keys";
  const columns = ["ID", "NAME", "ENDS IN", "ACTIONS", "NAMESPACES", "STATE", "LAST USED"];
  const rows = keys.map((key) => [
    key.id,
    key.name,
    `…${key.last_four}`,
    key.actions.join(","),
    key.namespaces.join(","),
    stateOf(key, now),
    key.last_used_at === null ? "never" : shortTime(key.last_used_at),
  ]);
  const table = tableText(
    columns.map((title) => ({ title })),
    rows,
  );
  return `${table}${countedText(keys.length, "key")}`;
}

function stateOf({ revoked_at, expires_at }: ListedKey, now: string): string {
  if (revoked_at !== undefined) return `revoked ${shortTime(revoked_at)}`;
  if (expires_at === null) return "valid";
  return `${expires_at <= now ? "expired" : "valid until"} ${shortTime(expires_at)}`;
}

function shortTime(time: string): string {
  return time.slice(0, "2026-01-31T09:30".length).replace("T", " ");
}
