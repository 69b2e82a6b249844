import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { backupCommands } from "./backup-commands.ts";

const SERVER = { url: "http://127.0.0.1:8484", needsKey: false };
const NOTHING = { to: "", only: "", keep: "" };

test("without anything typed they are an example", () => {
  expect(backupCommands(NOTHING, SERVER)).toEqual({
    backup:
      "export TURBOPUFFER_BASE_URL=http://127.0.0.1:8484\nnpx trawl backup --to /backups/trawl",
    verify: "npx trawl verify /backups/trawl",
    restore:
      "export TURBOPUFFER_BASE_URL=http://127.0.0.1:8484\nnpx trawl restore --from /backups/trawl",
    problems: {},
  });
});

test("a shell reads of them what was typed", () => {
  const to = "/mnt/it's a `disk` $HOME/b";
  const form = { to, only: "books, -a tenant.1", keep: " 14 " };
  const { backup, verify, restore, problems } = backupCommands(form, SERVER);
  expect(problems).toEqual({});
  // The commands' own words, one a line.
  const program = `npx() { printf '%s\\n' "$@"; }\n${[backup, verify, restore].join("\n")}`;
  expect(execFileSync("sh", ["-c", program], { encoding: "utf8" }).split("\n")).toEqual([
    ...["trawl", "backup", "--to", to],
    ...["--namespace=books", "--namespace=-a", "--namespace=tenant.1", "--keep", "14"],
    ...["trawl", "verify", to],
    ...["trawl", "restore", "--from", to],
    "",
  ]);
});

test("where there are keys, one is asked for and not written down", () => {
  const { backup, verify, restore } = backupCommands(NOTHING, { ...SERVER, needsKey: true });
  const asked = "read -rs TURBOPUFFER_API_KEY && export TURBOPUFFER_API_KEY && npx trawl ";
  expect(backup).toContain(asked);
  expect(restore).toContain(asked);
  // It reads the place alone.
  expect(verify).not.toContain("TURBOPUFFER");
});

test("one namespace is restored beside the one that there is", () => {
  const { restore } = backupCommands({ ...NOTHING, only: "books" }, SERVER);
  expect(restore).toMatch(/ --from \/backups\/trawl --namespace=books --as books-restored$/);
});

test("what is wrong is told at its field", () => {
  const form = { to: "-x", only: "books a/b", keep: "0" };
  expect(backupCommands(form, SERVER).problems).toEqual({
    to: "a place may not begin like an option: put ./ before it",
    only: expect.stringContaining("a/b: Namespace contains invalid characters"),
    keep: "type a whole number from 1 to 999999",
  });
});
