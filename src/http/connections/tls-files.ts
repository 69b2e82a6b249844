/**
 * The certificate and the private key of a server that speaks TLS, as files that are exchanged
 * while it runs. A new pair that is no pair is refused, and the old one stays.
 */

import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { createSecureContext } from "node:tls";

/** How often the files are looked at: two calls to the file system. */
export const TLS_POLL_MS = 5000;

/** Where certificate and key are, in PEM. */
export interface TlsPaths {
  readonly certPath: string;
  readonly keyPath: string;
}

/** What the files hold. */
export interface TlsPair {
  /** The certificate, and those that lead from it to a known one. */
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** What a look at the files has shown. */
export type TlsLook =
  | { readonly kind: "same" }
  | { readonly kind: "changed"; readonly pair: TlsPair; readonly validTo: string }
  /** They cannot be used; told once for each change. */
  | { readonly kind: "unusable"; readonly reason: string };

/** See the file's head. */
export class TlsFiles {
  readonly #paths: TlsPaths;
  readonly #read: FileReader;
  /** Of what was looked at last, usable or not. */
  #stamp: string;
  /** Why that cannot be used; undefined: it can. */
  #fault: string | undefined;
  /** The pair that was good when the files were opened. */
  readonly pair: TlsPair;

  private constructor(from: TlsSource, pair: TlsPair, stamp: string) {
    this.#paths = from.paths;
    this.#read = from.read;
    this.pair = pair;
    this.#stamp = stamp;
  }

  /** Reads the pair. Throws, naming the setting, if it cannot be used. `read` is for tests. */
  static async open(paths: TlsPaths, read: FileReader = readFile): Promise<TlsFiles> {
    // Before they are read: what is changed meanwhile is found by the next look.
    const stamp = await stampOf(paths);
    const pair = await readPair({ paths, read });
    checkPair(pair, paths);
    return new TlsFiles({ paths, read }, pair, stamp);
  }

  /** Looks whether there is another pair. */
  async look(): Promise<TlsLook> {
    const paths = this.#paths;
    const stamp = await stampOf(paths);
    // A fault may pass though the files stay, such as too many open files.
    if (stamp === this.#stamp && this.#fault === undefined) return { kind: "same" };
    try {
      const pair = await readPair({ paths, read: this.#read });
      const validTo = checkPair(pair, paths);
      this.#stamp = stamp;
      this.#fault = undefined;
      return { kind: "changed", pair, validTo };
    } catch (error) {
      const reason = (error as Error).message;
      const isTold = stamp === this.#stamp && reason === this.#fault;
      this.#stamp = stamp;
      this.#fault = reason;
      return isTold ? { kind: "same" } : { kind: "unusable", reason };
    }
  }
}

/** Reads a whole file. */
type FileReader = (path: string) => Promise<Buffer>;

interface TlsSource {
  readonly paths: TlsPaths;
  readonly read: FileReader;
}

/** What changes with the files, also where links to them are exchanged. */
async function stampOf({ certPath, keyPath }: TlsPaths): Promise<string> {
  const stamps = [certPath, keyPath].map(async (path) => {
    try {
      const { ino, size, mtimeMs, ctimeMs } = await stat(path);
      return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
    } catch (error) {
      return String((error as NodeJS.ErrnoException).code);
    }
  });
  return (await Promise.all(stamps)).join();
}

async function readPair({ paths, read }: TlsSource): Promise<TlsPair> {
  const readSetting = async (setting: string, path: string): Promise<Buffer> => {
    try {
      return await read(path);
    } catch (error) {
      throw new Error(`${setting}: cannot read ${path}: ${(error as Error).message}`);
    }
  };
  const [cert, key] = await Promise.all([
    readSetting("--tls-cert", paths.certPath),
    readSetting("--tls-key", paths.keyPath),
  ]);
  return { cert, key };
}

/** Throws unless the key is the certificate's; when the certificate ends. Repeats no contents. */
function checkPair({ cert, key }: TlsPair, { certPath, keyPath }: TlsPaths): string {
  const certificate = parsed("--tls-cert", `${certPath} is no certificate in PEM`, () => {
    return new X509Certificate(cert);
  });
  const privateKey = parsed(
    "--tls-key",
    `${keyPath} is no private key in PEM without a passphrase`,
    () => {
      return createPrivateKey(key);
    },
  );
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new Error(`--tls-key: ${keyPath} is not the key of the certificate in ${certPath}`);
  }
  parsed("--tls-cert", `${certPath} and ${keyPath} cannot be used`, () => {
    return createSecureContext({ cert, key });
  });
  return certificate.validTo;
}

function parsed<T>(setting: string, fault: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    throw new Error(`${setting}: ${fault} (${code})`);
  }
}
