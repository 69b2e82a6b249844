/** Takes one structured log line; `facts` are extra members of the line. */
export type StructuredLog = (
  level: "info" | "warn" | "error",
  message: string,
  facts?: Readonly<Record<string, unknown>>,
) => void;
