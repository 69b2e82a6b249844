/** Which store holds the data: plain data, which can be posted to threads. */
export type StoreConfig = DirectoryStoreConfig | S3StoreConfig;

/** A local directory, made where it is missing. */
export interface DirectoryStoreConfig {
  readonly kind: "directory";
  /** Absolute path. */
  readonly root: string;
}

/** A bucket of Amazon S3, or of a service that speaks its protocol. */
export interface S3StoreConfig {
  readonly kind: "s3";
  readonly bucket: string;
  /** All keys lie below it; an object key, or empty for the whole bucket. */
  readonly prefix: string;
  /** Base URL of the service; Amazon's own unless given. */
  readonly endpoint?: string;
  /** Region that requests are signed for; what the SDK finds in the environment unless given. */
  readonly region?: string;
  /** The bucket's name goes into the path of a URL instead of its host name. */
  readonly pathStyle: boolean;
}

/**
 * Tells whether one server at most writes to this store, since it must hold a lock that others
 * respect. Where not, another server may have committed at any time.
 */
export function isExclusive({ kind }: StoreConfig): boolean {
  return kind === "directory";
}

/** How messages and logs name a store; holds no secret. */
export function storeName(config: StoreConfig): string {
  if (config.kind === "directory") return `data directory ${config.root}`;
  const { bucket, prefix, endpoint } = config;
  const at = endpoint === undefined ? "" : ` at ${endpoint}`;
  return `s3://${bucket}${prefix === "" ? "" : `/${prefix}`}${at}`;
}
