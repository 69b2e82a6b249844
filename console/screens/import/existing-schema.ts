import type { ApiClient } from "../../api/api-client.ts";
import { ApiFault } from "../../api/api-fault.ts";
import { readMetadata } from "../../api/namespaces.ts";

/** The schema of a namespace as the server answers it; undefined: there is no such namespace. */
export async function existingSchema(
  client: ApiClient,
  namespace: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const { schema } = await readMetadata(client, namespace);
    return schema;
  } catch (error) {
    if (error instanceof ApiFault && error.kind === "not_found") return undefined;
    throw error;
  }
}
