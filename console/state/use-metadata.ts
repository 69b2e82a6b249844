import { type NamespaceMetadata, readMetadata } from "../api/namespaces.ts";
import { type RequestState, useRequest } from "./use-request.ts";

/** Asks for a namespace's metadata: what every screen about one begins with. */
export function useMetadata(namespace: string): RequestState<NamespaceMetadata> {
  return useRequest((api, signal) => readMetadata(api, namespace, signal), [namespace]);
}
