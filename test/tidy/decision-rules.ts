/** Rules about decisions, the files of docs/adr. */

import { basename } from "node:path";
import type { Finding, SourceFile } from "./source-file.ts";

const SECTIONS = ["Context", "Decision", "Figures", "Rejected", "Consequences"];

/** Decisions without a date, a status, or a section; numbers that are left out or given twice. */
export function decisionFindings(files: readonly SourceFile[]): Finding[] {
  const byNumber = files.filter(({ path }) => /^docs\/adr\/.*\.md$/.test(path));
  return byNumber.flatMap((file, index): Finding[] => {
    const { path, text } = file;
    const finding = (message: string): Finding => ({ path, line: 1, message });
    const number = Number(/^\d{4}(?=-)/.exec(basename(path))?.[0]);
    const faults: Finding[] = [];
    if (number !== index + 1) faults.push(finding(`number ${index + 1} is the next`));
    if (!text.startsWith(`# ${number}. `)) faults.push(finding(`begin with "# ${number}. "`));
    const status = /^Date: \d{4}-\d\d-\d\d\. Status: (accepted|superseded by ADR \d+)\.$/m;
    if (!status.test(text)) {
      faults.push(finding('say "Date: YYYY-MM-DD. Status: accepted." or "superseded by ADR N."'));
    }
    const sections = [...text.matchAll(/^## (.*)$/gm)].map(([, name]) => name);
    const missing = SECTIONS.filter((name) => !sections.includes(name));
    return [...faults, ...missing.map((name) => finding(`there is no section ${name}`))];
  });
}
