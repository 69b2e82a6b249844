import type { Command } from "commander";

/** What the command gets of the process; a parameter for tests. */
export interface OpenapiMachine {
  readonly print: (text: string) => void;
  /** Makes the document that a server of this version answers `/openapi.json` with. */
  readonly document: () => Promise<object>;
}

/** Adds `trawl openapi`, which prints the reference of the HTTP API and asks no server for it. */
export function addOpenapiCommand(program: Command, createMachine: () => OpenapiMachine): void {
  program
    .command("openapi")
    .helpGroup("Other:")
    .description("print the HTTP API as an OpenAPI document, as servers do at /openapi.json")
    .helpOption("--help", "print this help")
    .action(async () => {
      const { print, document } = createMachine();
      print(`${JSON.stringify(await document())}\n`);
    });
}
