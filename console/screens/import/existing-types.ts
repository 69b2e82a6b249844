import { attributeTypes } from "../../../src/transfer/import/attribute-types.ts";
import type { ApiClient } from "../../api/api-client.ts";
import { ApiFault } from "../../api/api-fault.ts";
import { readMetadata } from "../../api/namespaces.ts";

/** Types of a namespace's attributes as schemas spell them, `id` among them; undefined: no such. */
export async function existingTypes(
  client: ApiClient,
  namespace: string,
): Promise<ReadonlyMap<string, string> | undefined> {
  try {
    const { schema } = await readMetadata(client, namespace);
    return attributeTypes(schema);
  } catch (error) {
    if (error instanceof ApiFault && error.kind === "not_found") return undefined;
    throw error;
  }
}
