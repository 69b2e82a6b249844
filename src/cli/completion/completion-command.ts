import { Argument, type Command } from "commander";
import { bashCompletion } from "./bash-completion.ts";
import { completionWords } from "./completion-words.ts";
import { fishCompletion } from "./fish-completion.ts";
import { zshCompletion } from "./zsh-completion.ts";

const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

/**
 * Adds `trawl completion <shell>`, which prints a script made of all commands that the program has
 * when it runs.
 */
export function addCompletionCommand(program: Command, print: (text: string) => void): void {
  program
    .command("completion")
    .helpGroup("Other:")
    .description("print a script that completes commands, options and namespaces in a shell")
    .helpOption("--help", "print this help")
    .addArgument(new Argument("<shell>", "which one").choices(Object.keys(SCRIPTS)))
    .addHelpText(
      "after",
      '\nbash, zsh: eval "$(trawl completion bash)"   fish: trawl completion fish | source',
    )
    .action((shell: keyof typeof SCRIPTS) => print(SCRIPTS[shell](completionWords(program))));
}
