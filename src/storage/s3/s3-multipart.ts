import type { S3Client } from "@aws-sdk/client-s3";
import { must } from "../../base/assert.ts";
import { type Pieces, piecesBytes } from "../../base/pieces.ts";
import { copyOf } from "./s3-body.ts";
import type { S3Sdk } from "./s3-client.ts";
import type { S3Requests } from "./s3-requests.ts";

/** Parts of one upload under way at once; each holds a copy of its bytes. */
export const S3_PARTS_PARALLEL_MAX = 4;

/** One object to be uploaded in parts. */
export interface MultipartUpload {
  readonly sdk: S3Sdk;
  readonly client: S3Client;
  readonly requests: S3Requests;
  readonly bucket: string;
  readonly key: string;
  readonly pieces: Pieces;
  /** Bytes of every part but the last. */
  readonly partBytes: number;
}

interface Part {
  readonly PartNumber: number;
  readonly ETag: string;
}

/**
 * Uploads an object in parts, which become the object together: nobody sees less. Replaces what is
 * there, since few services honour a condition here. Throws what the SDK throws, after it asked the
 * service to throw the parts away; a rule on the bucket must do so where that request is lost, too.
 */
export async function uploadParts(upload: MultipartUpload): Promise<void> {
  const { sdk, client, requests, bucket, key, partBytes } = upload;
  const place = { Bucket: bucket, Key: key };
  // The service may take as long to join the parts as to take one in.
  const bytes = { sent: partBytes };
  const creation = new sdk.CreateMultipartUploadCommand(place);
  const created = await requests.run({}, (times) => client.send(creation, times));
  const id = must(created.UploadId, "an upload without an id");
  try {
    const MultipartUpload = { Parts: await sendParts(upload, id) };
    const completion = { ...place, UploadId: id, MultipartUpload };
    const command = new sdk.CompleteMultipartUploadCommand(completion);
    await requests.run(bytes, (times) => client.send(command, times));
  } catch (error) {
    const abortion = new sdk.AbortMultipartUploadCommand({ ...place, UploadId: id });
    await requests.run({}, (times) => client.send(abortion, times)).catch(() => undefined);
    throw error;
  }
}

/** Sends all parts, a few at a time; after a failure starts no more, and waits for the others. */
async function sendParts(upload: MultipartUpload, id: string): Promise<Part[]> {
  const { pieces, partBytes } = upload;
  const count = Math.ceil(piecesBytes(pieces) / partBytes);
  const parts: Part[] = [];
  let next = 0;
  let failure: { readonly error: unknown } | undefined;
  const sender = async () => {
    while (next < count && failure === undefined) {
      const part = next++;
      try {
        parts[part] = await sendPart(upload, id, part);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(count, S3_PARTS_PARALLEL_MAX) }, sender));
  if (failure !== undefined) throw failure.error;
  return parts;
}

async function sendPart(upload: MultipartUpload, id: string, part: number): Promise<Part> {
  const { sdk, client, requests, bucket, key, pieces, partBytes } = upload;
  const start = part * partBytes;
  const end = Math.min(start + partBytes, piecesBytes(pieces));
  const PartNumber = part + 1;
  const place = { Bucket: bucket, Key: key, UploadId: id, PartNumber };
  const sent = await requests.run({ sent: partBytes }, (times) => {
    const command = new sdk.UploadPartCommand({ ...place, Body: copyOf(pieces, start, end) });
    return client.send(command, times);
  });
  return { PartNumber, ETag: must(sent.ETag, "a part without a tag") };
}
