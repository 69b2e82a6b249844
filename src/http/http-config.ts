/** What the program tells the HTTP server at start; every value is already checked. */
export interface HttpConfig {
  readonly host: string;
  /** 0 lets the system pick a free port. */
  readonly port: number;
  /** Absent: no request needs a key. */
  readonly apiKey?: string;
  /** Decompressed bytes of request bodies that may be in memory, over all requests. */
  readonly bodyBytesInFlightMax: number;
  /** Requests that take longer are logged as warnings; 0 for none. */
  readonly slowRequestMs: number;
}
