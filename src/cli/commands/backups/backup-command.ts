import { countedText, sizeText } from "../../../base/amount-text.ts";
import { type ClientError, isClientError } from "../../../client/client-error.ts";
import { listNamespaces, readMetadata } from "../../../client/namespaces.ts";
import type { ObjectStore } from "../../../storage/object-store.ts";
import type { KeptBackups } from "../../../transfer/backups/backup-target.ts";
import type { BackupOutcome } from "../../../transfer/backups/take-backup.ts";
import type { BackupFault } from "../../../transfer/backups/verify-backup.ts";
import type { ClientCommand, CommandContext } from "../client-command.ts";
import { EXIT, UsageError } from "../exit-codes.ts";
import { addBucketOptions } from "./bucket-options.ts";
import { faultText } from "./fault-text.ts";

/** `trawl backup --to <dir>`: copies what is new in namespaces, while the server works. */
export const backupCommand: ClientCommand = {
  declare: (program) =>
    addBucketOptions(
      program
        .command("backup")
        .description("copy what is new in namespaces into a directory or bucket of backups")
        .requiredOption("--to <place>", "directory or s3://bucket/prefix; made where it is missing")
        .option("--namespace <name...>", "back up only these; all without it")
        .option("--keep <count>", "then remove what is older than the newest <count> whole backups")
        .option("--verify", "first read what is there, and copy anew what is damaged"),
    ),
  run: async (context, call) => {
    const { output, progress, client, signal, clock, random } = context;
    const keep = countOf(call.options.keep);
    const { openBackupStore } = await import("./open-backup-store.ts");
    const { BackupTarget } = await import("../../../transfer/backups/backup-target.ts");
    const { takeBackup } = await import("../../../transfer/backups/take-backup.ts");
    const place = { text: String(call.options.to), flag: "--to", isMade: true };
    const store = await openBackupStore(place, context, call);
    const target = new BackupTarget(store);
    const named = call.options.namespace as string[] | undefined;
    const namespaces = named ?? (await existing(context));
    const faults = call.options.verify === true ? await faultsOf(store, context) : [];
    const task = progress.start({ label: "backing up", unit: "byte" });
    try {
      const onBytes = (bytes: number) => task.advance(bytes);
      const run = { client, signal, clock, random, target, faults, onBytes };
      const outcome = await takeBackup(namespaces, {
        ...run,
        judge: async (namespace, error) => {
          if (!isRefusal(error)) return "stop";
          const mayBeGone = named === undefined && error.status === 404;
          return mayBeGone && (await isGone(context, namespace)) ? "gone" : "failed";
        },
      });
      const isWhole = outcome.failed.length === 0;
      // An older backup may be the only one that has what this one lacks.
      const kept = keep !== undefined && isWhole ? await target.keepNewest(keep) : undefined;
      output.result(resultOf(outcome, kept), () => textOf(outcome, kept));
      return isWhole && outcome.unmended.length === 0 ? EXIT.done : EXIT.failed;
    } finally {
      task.end();
    }
  },
};

/** Reads all that is there; without a backup there is nothing to find. */
async function faultsOf(
  store: ObjectStore,
  { progress }: Pick<CommandContext, "progress">,
): Promise<readonly BackupFault[]> {
  const { verifyBackups } = await import("../../../transfer/backups/verify-backup.ts");
  const task = progress.start({ label: "verifying", unit: "byte" });
  try {
    return (await verifyBackups(store, (bytes) => task.advance(bytes))).faults;
  } finally {
    task.end();
  }
}

/** The server's word about one namespace, after which others may fare better. */
function isRefusal(error: unknown): error is ClientError {
  return isClientError(error) && error.kind === "refused" && !isClientError(error, 401, 403);
}

/** One that was deleted since it was listed is no failure; an old server without backups is. */
async function isGone({ client, signal }: CommandContext, namespace: string): Promise<boolean> {
  try {
    await readMetadata(client, namespace, signal);
    return false;
  } catch (error) {
    if (isClientError(error, 404)) return true;
    throw error;
  }
}

async function existing({ client, signal }: CommandContext): Promise<string[]> {
  const names: string[] = [];
  for await (const name of listNamespaces(client, { signal })) names.push(name);
  return names;
}

function countOf(text: unknown): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,5}$/.test(String(text))) return Number(text);
  throw new UsageError(`--keep: ${text} is no count of backups from 1 on`);
}

function resultOf(outcome: BackupOutcome, kept: KeptBackups | undefined): object {
  const { namespaces, objects, objectsCopied, bytesCopied, mended, unmended, failed } = outcome;
  return {
    backup: outcome.backup,
    namespaces,
    objects,
    objects_copied: objectsCopied,
    bytes_copied: bytesCopied,
    mended,
    unmended,
    removed: (kept?.removed ?? []).length,
    unreadable: kept?.unreadable ?? [],
    failed,
  };
}

function textOf(outcome: BackupOutcome, kept: KeptBackups | undefined): string {
  const { namespaces, objects, objectsCopied, bytesCopied, mended, unmended, failed } = outcome;
  const removed = (kept?.removed ?? []).length;
  const unreadable = (kept?.unreadable ?? []).join(", ");
  return [
    ...failed.map(({ namespace, error }) => `FAILED ${namespace}: ${error}`),
    ...mended.map((fault) => `MENDED ${faultText(fault)}`),
    ...unmended.map((fault) => `FAULT ${faultText(fault)}; it was not among what was copied now`),
    ...(unreadable === "" ? [] : [`no objects were removed: ${unreadable} cannot be read`]),
    `backup ${outcome.backup}: ${countedText(namespaces, "namespace")} in ` +
      `${countedText(objects, "object")}, of which ${objectsCopied} ` +
      `(${sizeText(bytesCopied)}) were new`,
    ...(removed === 0 ? [] : [`removed ${countedText(removed, "older backup")}`]),
  ].join("\n");
}
