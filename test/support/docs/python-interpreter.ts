/** Python with the official client: what `TRAWL_TEST_PYTHON` names, else the machine's. */
export function pythonInterpreter(): string {
  return process.env.TRAWL_TEST_PYTHON ?? "python3";
}
