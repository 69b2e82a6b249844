import type { ListObjectsV2CommandOutput, S3Client } from "@aws-sdk/client-s3";
import { assert } from "../../base/assert.ts";
import { MIB, OBJECT_BYTES_MAX } from "../../base/byte-sizes.ts";
import type { Clock } from "../../base/clock.ts";
import { DatabaseError } from "../../base/errors.ts";
import { type Pieces, piecesBytes } from "../../base/pieces.ts";
import {
  type ListPage,
  type ListRequest,
  type ObjectBody,
  type ObjectKey,
  type ObjectStore,
  type PutCondition,
  type PutOutcome,
  piecesOf,
} from "../object-store.ts";
import type { S3StoreConfig } from "../store-config.ts";
import {
  checkContentRange,
  copyOf,
  type LastByteRange,
  readS3Body,
  sha256Of,
  streamOf,
} from "./s3-body.ts";
import { openS3Client, S3_TIMES, type S3Sdk, type S3Times } from "./s3-client.ts";
import {
  isAbsentObject,
  isBeyondEnd,
  isLostCondition,
  isRacing,
  s3Error,
  s3Failure,
} from "./s3-errors.ts";
import { listS3 } from "./s3-listing.ts";
import { uploadParts } from "./s3-multipart.ts";
import { S3Requests } from "./s3-requests.ts";

/** Bodies up to here are sent as one array; conditional ones above are streamed. */
export const S3_BUFFERED_BYTES_MAX = 16 * MIB;
/** One part of a multipart upload; S3 allows 5 MiB to 5 GiB, and 10,000 of them. */
const S3_PART_BYTES = 16 * MIB;

/** What an `S3ObjectStore` needs. */
export interface S3ObjectStoreOptions {
  readonly config: S3StoreConfig;
  readonly clock: Clock;
  readonly times?: S3Times;
  /**
   * Bodies of unconditional puts above this go in parts of this size; at least 5 MiB for Amazon.
   */
  readonly partBytes?: number;
}

/**
 * Keeps each object as one object of a bucket, under its key; `config.prefix` is not looked at, see
 * PrefixedObjectStore. Every request is sent once: a throw leaves its outcome unknown.
 *
 * Put-if-absent is one PUT with `If-None-Match: *`. The four promises rest on the service:
 * store-check.ts looks at the start whether it decides races.
 */
export class S3ObjectStore implements ObjectStore {
  readonly #sdk: S3Sdk;
  readonly #client: S3Client;
  readonly #config: S3StoreConfig;
  readonly #partBytes: number;
  readonly #requests: S3Requests;

  private constructor(sdk: S3Sdk, client: S3Client, options: S3ObjectStoreOptions) {
    this.#sdk = sdk;
    this.#client = client;
    this.#config = options.config;
    this.#requests = new S3Requests(options.clock, options.times ?? S3_TIMES);
    this.#partBytes = options.partBytes ?? S3_PART_BYTES;
  }

  /** Loads the SDK. Sends nothing, so a wrong bucket shows with the first request. */
  static async open(options: S3ObjectStoreOptions): Promise<S3ObjectStore> {
    const { sdk, client } = await openS3Client(options.config, options.times ?? S3_TIMES);
    return new S3ObjectStore(sdk, client, options);
  }

  /** Closes idle connections. */
  close(): void {
    this.#client.destroy();
  }

  async get(key: ObjectKey): Promise<Uint8Array | undefined> {
    try {
      return (await this.#read(key)).bytes;
    } catch (error) {
      if (isAbsentObject(s3Failure(error))) return undefined;
      throw this.#error(`read ${key}`, error);
    }
  }

  async getRange(key: ObjectKey, start: number, end: number): Promise<Uint8Array | undefined> {
    try {
      // There is no empty range; one byte tells whether the object is there.
      const last = Math.max(start, end - 1);
      const { bytes, isWhole } = await this.#read(key, { start, last });
      const from = isWhole ? start : 0; // A service may answer with the whole object.
      return bytes.subarray(from, from + Math.max(0, end - start));
    } catch (error) {
      const failure = s3Failure(error);
      if (isBeyondEnd(failure)) return new Uint8Array(0);
      if (isAbsentObject(failure)) return undefined;
      throw this.#error(`read ${key}`, error);
    }
  }

  async put(key: ObjectKey, body: ObjectBody, condition: PutCondition): Promise<PutOutcome> {
    const pieces = piecesOf(body);
    const bytes = piecesBytes(pieces);
    assert(bytes <= OBJECT_BYTES_MAX, `object of ${bytes} bytes is too large`);
    try {
      if (condition.kind === "absent") return await this.#putIfAbsent(key, pieces);
      if (bytes <= this.#partBytes) await this.#putWhole(key, pieces, {});
      else await this.#putInParts(key, pieces);
      return { kind: "written" };
    } catch (error) {
      throw this.#error(`write ${key}`, error);
    }
  }

  async list(request: ListRequest): Promise<ListPage> {
    try {
      return await listS3(request, async ({ prefix, startAfter, limit, delimiter, token }) => {
        const command = new this.#sdk.ListObjectsV2Command({
          Bucket: this.#config.bucket,
          Prefix: prefix,
          MaxKeys: limit,
          ...(startAfter && { StartAfter: startAfter }),
          ...(delimiter && { Delimiter: delimiter }),
          ...(token && { ContinuationToken: token }),
        });
        const page = await this.#requests.run({}, (times) => this.#client.send(command, times));
        if (!isListing(page)) throw new Error("the answer says 200, but is no listing");
        return {
          keys: (page.Contents ?? []).map(({ Key = "" }) => Key),
          prefixes: (page.CommonPrefixes ?? []).map(({ Prefix = "" }) => Prefix),
          truncated: page.IsTruncated === true,
          token: page.NextContinuationToken,
        };
      });
    } catch (error) {
      throw this.#error(`list ${request.prefix}`, error);
    }
  }

  async delete(key: ObjectKey): Promise<void> {
    try {
      const command = new this.#sdk.DeleteObjectCommand({ Bucket: this.#config.bucket, Key: key });
      await this.#requests.run({}, (times) => this.#client.send(command, times));
    } catch (error) {
      if (!isAbsentObject(s3Failure(error))) throw this.#error(`delete ${key}`, error);
    }
  }

  #read(key: string, range?: LastByteRange): Promise<{ bytes: Uint8Array; isWhole: boolean }> {
    const place = { Bucket: this.#config.bucket, Key: key };
    const Range = range && `bytes=${range.start}-${range.last}`;
    const command = new this.#sdk.GetObjectCommand({ ...place, ...(Range && { Range }) });
    const received = range === undefined ? OBJECT_BYTES_MAX : range.last - range.start;
    return this.#requests.run({ received }, async (times) => {
      const answer = await this.#client.send(command, times);
      const { Body: body, ContentLength: contentLength, ContentRange: contentRange } = answer;
      const bytes = await readS3Body({ key, body, contentLength });
      if (contentRange !== undefined) checkContentRange(contentRange, bytes.length, range);
      return { bytes, isWhole: contentRange === undefined };
    });
  }

  async #putIfAbsent(key: ObjectKey, pieces: Pieces): Promise<PutOutcome> {
    try {
      await this.#putWhole(key, pieces, { IfNoneMatch: "*" });
      return { kind: "written" };
    } catch (error) {
      const failure = s3Failure(error);
      if (isLostCondition(failure)) return { kind: "conflict" };
      // The other put may still fail. It is a conflict only if there is an object to conflict with.
      const isThere = isRacing(failure) && (await this.getRange(key, 0, 1)) !== undefined;
      if (isThere) return { kind: "conflict" };
      throw error;
    }
  }

  async #putWhole(
    key: ObjectKey,
    pieces: Pieces,
    condition: { readonly IfNoneMatch?: string },
  ): Promise<void> {
    const bytes = piecesBytes(pieces);
    const place = { Bucket: this.#config.bucket, Key: key, ...condition, ContentLength: bytes };
    if (bytes <= S3_BUFFERED_BYTES_MAX) {
      await this.#requests.run({ sent: bytes }, (times) => {
        // The copy is made here, so that parts that wait for a turn hold no memory.
        const Body = copyOf(pieces, 0, bytes);
        const command = new this.#sdk.PutObjectCommand({ ...place, Body });
        return this.#client.send(command, times);
      });
      return;
    }
    const command = new this.#sdk.PutObjectCommand({ ...place, Body: streamOf(pieces) });
    const sha256 = await sha256Of(pieces);
    // The signature covers the body's hash, which the SDK cannot take from a stream.
    command.middlewareStack.add(
      (next) => (args) => {
        const { headers } = args.request as { headers: Record<string, string> };
        headers["x-amz-content-sha256"] = sha256;
        return next(args);
      },
      { step: "build", name: "bodyHash" },
    );
    await this.#requests.run({ sent: bytes }, (times) => this.#client.send(command, times));
  }

  async #putInParts(key: ObjectKey, pieces: Pieces): Promise<void> {
    await uploadParts({
      sdk: this.#sdk,
      client: this.#client,
      requests: this.#requests,
      bucket: this.#config.bucket,
      key,
      pieces,
      partBytes: this.#partBytes,
    });
  }

  #error(action: string, error: unknown): DatabaseError {
    return error instanceof DatabaseError ? error : s3Error(action, error, this.#config);
  }
}

/**
 * Tells whether an answer had a listing's root element, whose members S3 always sends. Proxies
 * answer 200 with nothing, or with a page of theirs, which is not an empty bucket.
 */
function isListing(page: ListObjectsV2CommandOutput): boolean {
  return [page.Name, page.IsTruncated, page.KeyCount, page.MaxKeys].some(
    (member) => member !== undefined,
  );
}
