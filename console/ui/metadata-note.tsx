import type { JSX } from "preact";
import type { NamespaceMetadata } from "../api/namespaces.ts";
import type { RequestState } from "../state/use-request.ts";
import { ErrorNote, Spinner } from "./notes.tsx";

/** What stands where metadata is not known yet: that it is asked for, or why there is none. */
export function MetadataNote({
  metadata,
}: {
  readonly metadata: RequestState<NamespaceMetadata>;
}): JSX.Element {
  if (metadata.fault === undefined) return <Spinner label="Reading the schema" />;
  return <ErrorNote fault={metadata.fault} onRetry={metadata.reload} />;
}
