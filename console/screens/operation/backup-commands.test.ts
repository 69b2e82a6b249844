import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { backupCommands } from "./backup-commands.ts";

const SERVER = { url: "http://127.0.0.1:8484", needsKey: false };
const NOTHING = { to: "", only: "", keep: "" };

test("without anything typed they are an example", () => {
  const { text, problems } = backupCommands(NOTHING, SERVER);
  expect(text.split("\n").slice(0, 2)).toEqual([
    "export TURBOPUFFER_BASE_URL=http://127.0.0.1:8484",
    "npx trawl backup --to /backups/trawl",
  ]);
  expect(problems).toEqual({});
});

test("a shell reads of them what was typed", () => {
  const to = "/mnt/it's a `disk` $HOME/b";
  const form = { to, only: "books, -a tenant.1", keep: " 14 " };
  const { text, problems } = backupCommands(form, SERVER);
  expect(problems).toEqual({});
  // The commands' own words, one a line.
  const program = `npx() { printf '%s\\n' "$@"; }\n${text}`;
  expect(execFileSync("sh", ["-c", program], { encoding: "utf8" }).split("\n")).toEqual([
    ...["trawl", "backup", "--to", to],
    ...["--namespace=books", "--namespace=-a", "--namespace=tenant.1", "--keep", "14"],
    ...["trawl", "verify", to],
    ...["trawl", "restore", "--from", to],
    "",
  ]);
});

test("where there are keys, one is asked for and not written down", () => {
  const { text } = backupCommands(NOTHING, { ...SERVER, needsKey: true });
  expect(text).toContain("read -rs TURBOPUFFER_API_KEY && export TURBOPUFFER_API_KEY");
});

test("what is wrong is told at its field", () => {
  const form = { to: "-x", only: "books a/b", keep: "0" };
  expect(backupCommands(form, SERVER).problems).toEqual({
    to: "a place may not begin like an option: put ./ before it",
    only: expect.stringContaining("a/b: Namespace contains invalid characters"),
    keep: "type a whole number from 1 to 999999",
  });
});
