import { countedText, sizeText } from "../../../base/amount-text.ts";
import type { BackupVerification } from "../../../transfer/backups/verify-backup.ts";
import type { ClientCommand } from "../client-command.ts";
import { EXIT } from "../exit-codes.ts";
import { addBucketOptions } from "./bucket-options.ts";
import { faultText } from "./fault-text.ts";

/** `trawl verify <dir>`: reads every byte of a directory of backups; asks no server. */
export const verifyCommand: ClientCommand = {
  declare: (program) =>
    addBucketOptions(
      program
        .command("verify")
        .description("read every byte of a directory of backups, and say what is damaged")
        .argument("<place>", "directory or s3://bucket/prefix with backups"),
    ),
  run: async (context, call) => {
    const { output, progress } = context;
    const { openBackupStore } = await import("./open-backup-store.ts");
    const { verifyBackups } = await import("../../../transfer/backups/verify-backup.ts");
    const place = { text: call.words[0] ?? "", flag: "the place", isMade: false };
    const store = await openBackupStore(place, context, call);
    const task = progress.start({ label: "verifying", unit: "byte" });
    let found: BackupVerification;
    try {
      found = await verifyBackups(store, (bytes) => task.advance(bytes));
    } finally {
      task.end();
    }
    if (found.backups === 0) throw new Error(`there is no backup in ${place.text}`);
    output.result(found, () => textOf(found));
    return found.faults.length === 0 ? EXIT.done : EXIT.failed;
  },
};

function textOf({ backups, objects, bytes, faults }: BackupVerification): string {
  const read =
    `${countedText(backups, "backup")}: read ${countedText(objects, "object")} ` +
    `(${sizeText(bytes)}), ${countedText(faults.length, "fault")}`;
  const lines = faults.map((fault) => `FAULT ${faultText(fault)}`);
  return [read, ...lines].join("\n");
}
