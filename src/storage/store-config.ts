/** Which store holds the data: plain data, which can be posted to threads. */
export type StoreConfig =
  /** A local directory, made where it is missing. */
  { readonly kind: "directory" /** Absolute path. */; readonly root: string };

/** How messages and logs name a store; holds no secret. */
export function storeName(config: StoreConfig): string {
  return `data directory ${config.root}`;
}
