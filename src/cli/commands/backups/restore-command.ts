import { countedText } from "../../../base/amount-text.ts";
import { isClientError } from "../../../client/client-error.ts";
import type { RestoredNamespace } from "../../../transfer/backups/restore-backup.ts";
import type { ClientCommand } from "../client-command.ts";
import { EXIT, UsageError } from "../exit-codes.ts";
import { addBucketOptions } from "./bucket-options.ts";

/** `trawl restore --from <dir>`: makes namespaces of a server from a backup. */
export const restoreCommand: ClientCommand = {
  declare: (program) =>
    addBucketOptions(
      program
        .command("restore")
        .description("make namespaces from a backup; one that exists is left as it is")
        .requiredOption("--from <place>", "directory or s3://bucket/prefix with backups")
        .option("--namespace <name>", "restore only this one; all of the backup without it")
        .option("--as <name>", "restore it under this name")
        .option("--backup <backup>", "which backup; the newest one without it"),
    ),
  run: async (context, call) => {
    const { output, progress, client, signal } = context;
    const { options } = call;
    const [namespace, as, backup] = [options.namespace, options.as, options.backup].map((given) =>
      given === undefined ? undefined : String(given),
    );
    if (as !== undefined && namespace === undefined) {
      throw new UsageError("--as needs --namespace, which says whose name it stands for");
    }
    const { openBackupStore } = await import("./open-backup-store.ts");
    const { BackupTarget } = await import("../../../transfer/backups/backup-target.ts");
    const { findBackedUp, restoreNamespace } = await import(
      "../../../transfer/backups/restore-backup.ts"
    );
    const place = { text: String(options.from), flag: "--from", isMade: false };
    const target = new BackupTarget(await openBackupStore(place, context, call));
    const { namespaces: found, lacks } = await findBackedUp(target, { backup, namespace });
    for (const name of lacks) output.line(lackingLine(name));
    const objects = found.flatMap((one) => one.objects);
    const total = objects.reduce((sum, { bytes }) => sum + bytes, 0);
    const task = progress.start({ label: "restoring", unit: "byte", total });
    const restored: RestoredNamespace[] = [];
    const failed: { namespace: string; error: string }[] = [];
    try {
      const run = { client, signal, target, onBytes: (bytes: number) => task.advance(bytes) };
      for (const one of found) {
        try {
          const done = await restoreNamespace(one, as ?? one.namespace, run);
          restored.push(done);
          output.line(lineOf(done));
        } catch (error) {
          if (found.length === 1 || !isClientError(error) || error.kind !== "refused") throw error;
          failed.push({ namespace: one.namespace, error: error.message });
          output.line(`FAILED ${one.namespace}: ${error.message}`);
        }
      }
    } finally {
      task.end();
    }
    output.result({ namespaces: restored, failed, lacks }, () => "");
    return failed.length === 0 && lacks.length === 0 ? EXIT.done : EXIT.failed;
  },
};

function lineOf({ namespace, as, documents }: RestoredNamespace): string {
  const name = namespace === as ? namespace : `${namespace} as ${as}`;
  return `restored ${name}: ${countedText(documents, "document")}`;
}

function lackingLine(namespace: string): string {
  const how = `--namespace ${namespace} restores it from the newest backup that has it`;
  return `LACKING ${namespace}: it could not be backed up that time; ${how}`;
}
