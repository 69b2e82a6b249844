import { expect, test } from "vitest";
import { InstantClock } from "../../test/support/clocks/instant-clock.ts";
import { testTerminal } from "../../test/support/servers/run-cli.ts";
import { seededRandom } from "../base/random.ts";
import { CLIENT_COMMANDS } from "./client-commands.ts";
import { addClientCommands, allCommands } from "./client-program.ts";
import { createProgram } from "./program.ts";

test("the help of every option shows its default once", () => {
  const none = async () => {};
  const program = createProgram("0.0.0-test", { serve: none, index: none, certify: none });
  addClientCommands(program, CLIENT_COMMANDS, () => ({
    terminal: testTerminal(),
    clock: new InstantClock(),
    random: seededRandom(1),
    version: "0.0.0-test",
    signal: new AbortController().signal,
    end: () => {},
  }));
  const help = allCommands(program).flatMap((command) => {
    const made = command.createHelp();
    return made.visibleOptions(command).map((option) => made.optionDescription(option));
  });
  expect(help).toContain("of all measurements together (default: 15s)");
  expect(help.filter((text) => text.split("(default").length > 2)).toEqual([]);
});
