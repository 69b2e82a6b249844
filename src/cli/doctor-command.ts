import type { Command } from "commander";
import { countedText } from "../base/amount-text.ts";
import { EXIT, type ExitCode } from "./commands/exit-codes.ts";
import type { Finding } from "./doctor/finding.ts";
import { Output } from "./output/output.ts";
import { printable } from "./output/table-text.ts";
import type { Terminal } from "./output/terminal.ts";
import { givenFlags, optionOf } from "./program.ts";
import { SETTINGS } from "./settings/setting-table.ts";

/** What the command gets of the process; a parameter for tests. */
export interface DoctorMachine {
  readonly terminal: Terminal;
  /** Looks, with the flags that were given. Loads the server's code. */
  readonly examine: (flags: Readonly<Record<string, string | true>>) => Promise<readonly Finding[]>;
  readonly end: (code: ExitCode) => void;
}

/**
 * Adds `trawl doctor`, which takes the settings of `trawl serve` and says what would keep a server
 * with them from working.
 */
export function addDoctorCommand(program: Command, createMachine: () => DoctorMachine): void {
  const doctor = program
    .command("doctor")
    .helpGroup("The server:")
    .description("look whether a server with these settings would work, and what to do if not")
    .helpOption("--help", "print this help")
    .option("--json", "print one line of JSON instead of text for people")
    .addHelpText("after", "\nExits with 1 where something is wrong, with 0 for warnings alone.");
  for (const setting of SETTINGS) doctor.addOption(optionOf(setting));
  doctor.action(async ({ json }: { readonly json?: true }) => {
    const { terminal, examine, end } = createMachine();
    const findings = await examine(givenFlags(doctor));
    const isWell = findings.every(({ verdict }) => verdict !== "fault");
    const output = new Output(terminal, json === true);
    output.result({ ok: isWell, findings }, () => reportText(findings));
    end(isWell ? EXIT.done : EXIT.failed);
  });
}

const MARKS = { ok: "ok     ", warning: "warning", fault: "FAULT  " } as const;

function reportText(findings: readonly Finding[]): string {
  const lines = findings.map(({ about, verdict, seen, cure }) => {
    const what = `${MARKS[verdict]}  ${about}: ${printable(seen)}\n`;
    return cure === undefined ? what : `${what}         → ${cure}\n`;
  });
  const faults = findings.filter(({ verdict }) => verdict === "fault").length;
  const warnings = findings.filter(({ verdict }) => verdict === "warning").length;
  const sum = `${countedText(faults, "fault")}, ${countedText(warnings, "warning")}`;
  return `${lines.join("")}\n${faults + warnings === 0 ? "all is well" : sum}`;
}
