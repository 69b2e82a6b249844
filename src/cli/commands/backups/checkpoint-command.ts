import { countedText } from "../../../base/amount-text.ts";
import { DURATION_FORM, parseDuration } from "../../../base/duration.ts";
import { apiPath } from "../../../client/api-client.ts";
import { tableText } from "../../output/table-text.ts";
import type { ClientCommand, CommandCall, CommandContext } from "../client-command.ts";
import { EXIT, UsageError } from "../exit-codes.ts";

const ACTIONS = { create, list, delete: remove, restore } as const;

/** A checkpoint as the server shows it. */
interface ShownCheckpoint {
  readonly name: string;
  readonly created_at: string;
  readonly expires_at: string | null;
}

interface CheckpointCall extends CommandContext {
  readonly namespace: string;
  readonly name: string | undefined;
  readonly options: CommandCall["options"];
}

/** `trawl checkpoint create|list|delete|restore`: states of a namespace to go back to. */
export const checkpointCommand: ClientCommand = {
  declare: (program) =>
    program
      .command("checkpoint")
      .description("keep the state of a namespace, and go back to it under another name")
      .argument("<action>", Object.keys(ACTIONS).join(", "))
      .argument("<namespace>", "of which namespace")
      .argument("[name]", "the checkpoint's name; of a new one, the time without it")
      .option("--expires <duration>", "create: when it goes, such as 7d; never without it")
      .option("--as <namespace>", "restore: the name of the new namespace"),
  run: async (context, { words: [action = "", namespace = "", name], options }) => {
    if (!Object.hasOwn(ACTIONS, action)) {
      const actions = Object.keys(ACTIONS).join(", ");
      throw new UsageError(`there is no action '${action}' of checkpoints; say one of ${actions}`);
    }
    await ACTIONS[action as keyof typeof ACTIONS]({ ...context, namespace, name, options });
    return EXIT.done;
  },
};

async function create(call: CheckpointCall): Promise<void> {
  const { client, output, signal, name, options } = call;
  const ms = options.expires === undefined ? undefined : parseDuration(String(options.expires));
  if (options.expires !== undefined && (ms === undefined || ms < 1000)) {
    throw new UsageError(`--expires: ${options.expires} is not ${DURATION_FORM}, of 1s or more`);
  }
  const expires = ms === undefined ? {} : { expires_in_seconds: Math.round(ms / 1000) };
  const json = { ...(name !== undefined && { name }), ...expires };
  const path = pathOf(call);
  const made = await client.json<ShownCheckpoint>({ method: "POST", path, json, signal });
  output.result(made, () => `checkpoint ${made.name} of ${call.namespace}, ${untilText(made)}`);
}

async function list(call: CheckpointCall): Promise<void> {
  const { client, output, signal, name } = call;
  if (name !== undefined) throw new UsageError(`list takes no name, but got '${name}'`);
  const found = await client.json<{ readonly checkpoints: readonly ShownCheckpoint[] }>({
    method: "GET",
    path: pathOf(call),
    signal,
  });
  const { checkpoints } = found;
  output.result(found, () => {
    if (checkpoints.length === 0) return "no checkpoints";
    const columns = [{ title: "CHECKPOINT" }, { title: "CREATED" }, { title: "EXPIRES" }];
    const rows = checkpoints.map((one) => [one.name, one.created_at, one.expires_at ?? "never"]);
    return `${tableText(columns, rows)}${countedText(checkpoints.length, "checkpoint")}`;
  });
}

async function remove(call: CheckpointCall): Promise<void> {
  const { client, output, signal } = call;
  const name = nameOf(call, "delete");
  await client.json({ method: "DELETE", path: pathOf(call, name), signal });
  output.result({ deleted: name }, () => `deleted checkpoint ${name} of ${call.namespace}`);
}

async function restore(call: CheckpointCall): Promise<void> {
  const { client, output, signal, options } = call;
  const name = nameOf(call, "restore");
  if (options.as === undefined) {
    throw new UsageError("restore needs --as, the name of the new namespace");
  }
  const restored = await client.json<{ namespace: string; documents: number }>({
    method: "POST",
    path: pathOf(call, name, "restore"),
    json: { as: options.as },
    signal,
  });
  output.result(restored, () => {
    const documents = countedText(restored.documents, "document");
    return `restored ${name} of ${call.namespace} as ${restored.namespace}: ${documents}`;
  });
}

function nameOf({ name }: CheckpointCall, action: string): string {
  if (name !== undefined) return name;
  throw new UsageError(`${action} needs the checkpoint's name behind the namespace's`);
}

function pathOf({ namespace }: CheckpointCall, ...rest: readonly string[]): string {
  return apiPath("trawl", "namespaces", namespace, "checkpoints", ...rest);
}

function untilText({ expires_at }: ShownCheckpoint): string {
  return expires_at === null ? "kept until it is deleted" : `kept until ${expires_at}`;
}
