import type { Clock } from "../base/clock.ts";
import { AuditLog, type AuditSink, fileSink } from "../http/observability/audit-log.ts";
import type { HttpLog } from "../http/observability/request-log.ts";
import { SettingFault } from "./settings/parse-setting.ts";
import type { AuditConfig } from "./settings/server-config.ts";

/** Opens the audit. Throws `SettingFault` if its file cannot be written. */
export async function openAudit(
  { path, hasWrites }: AuditConfig,
  { clock, log }: { readonly clock: Clock; readonly log: HttpLog },
): Promise<AuditLog> {
  const sink = path === undefined ? stdoutSink() : fileSink(path);
  try {
    await sink("");
  } catch (error) {
    throw new SettingFault(`--audit-log: cannot write ${path}: ${(error as Error).message}`);
  }
  return new AuditLog({ sink, clock, log, hasWrites });
}

function stdoutSink(): AuditSink {
  // Each write hears of its own fault. Unheard, one would end the server when a reader has left.
  process.stdout.on("error", () => {});
  return (text) =>
    new Promise((resolve, reject) => {
      process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
    });
}
