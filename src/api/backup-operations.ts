/** Answers calls about backups, restores and checkpoints: one function for each operation. */

import { webcrypto } from "node:crypto";
import { invalid } from "../base/errors.ts";
import { type NamespaceName, namespaceName, namespaceNameFault } from "../base/ids.ts";
import { Slices } from "../base/slices.ts";
import type { Steps } from "../base/steps.ts";
import { BackupLeases } from "../commit/backups/backup-leases.ts";
import { type RestoreOptions, Restores } from "../commit/backups/restores.ts";
import {
  createCheckpoint,
  currentCheckpoints,
  deleteCheckpoint,
  restoreCheckpoint,
} from "../commit/checkpoints/checkpoints.ts";
import { formatDatetime } from "../model/datetime.ts";
import { EVERY_NAMESPACE } from "../model/namespace-pattern.ts";
import type { Checkpoint } from "../namespace/checkpoints/checkpoint.ts";
import {
  parseBackupBody,
  parseCheckpointBody,
  parseCheckpointRestoreBody,
  parseRestoreBody,
  pointJson,
} from "../wire/backups/backup-json.ts";
import type { UnknownMembers } from "../wire/json/unknown-members.ts";
import { type HttpAnswer, jsonAnswer, type OperationName } from "./engine.ts";
import { wholeBody } from "./whole-body.ts";
import type { BodySource, CallMessage, CallReporter } from "./write-call.ts";

/** SHA-256 of an answer's body, as RFC 9530 writes it. */
const DIGEST_HEADER = "content-digest";
/** `true` where an answer's body goes to the end of its object. */
const END_HEADER = "trawl-object-end";

const OPERATIONS: Partial<Record<string, (call: BackupCall) => Promise<HttpAnswer>>> = {
  begin_backup: beginBackup,
  read_backup: readBackup,
  end_backup: endBackup,
  begin_restore: beginRestore,
  look_restore: lookRestore,
  put_restore: putRestore,
  finish_restore: finishRestore,
  end_restore: endRestore,
  create_checkpoint: create,
  list_checkpoints: list,
  delete_checkpoint: remove,
  restore_checkpoint: restore,
} satisfies Partial<Record<OperationName, (call: BackupCall) => Promise<HttpAnswer>>>;

/** What the operations work with. */
export interface BackupOperationOptions {
  readonly backups: BackupLeases;
  readonly restores: Restores;
  readonly points: RestoreOptions;
}

interface BackupCall extends BackupOperationOptions {
  readonly namespace: NamespaceName | undefined;
  readonly parameters: Readonly<Record<string, string>>;
  body(): Promise<Uint8Array>;
  /** Reads the body as `parse` does, in slices. */
  read<T>(parse: (body: Uint8Array, unknown: UnknownMembers) => Steps<T>): Promise<T>;
}

/** Makes what the operations share. */
export function backupOperationOptions(points: RestoreOptions): BackupOperationOptions {
  return { backups: new BackupLeases(points), restores: new Restores(points), points };
}

/** Answers a call; undefined if it is about something else. Operating errors are thrown. */
export function runBackupOperation(
  call: CallMessage,
  body: BodySource,
  reporter: CallReporter,
  options: BackupOperationOptions,
): Promise<HttpAnswer> | undefined {
  const { operation, namespace, parameters } = call;
  const slices = new Slices({ ...options.points.namespaceOptions, flow: namespace });
  const whole = () => wholeBody(body, slices);
  return OPERATIONS[operation]?.({
    ...options,
    namespace,
    parameters,
    body: whole,
    read: async (parse) => slices.run(parse(await whole(), reporter.unknown)),
  });
}

async function beginBackup({ backups, read }: BackupCall): Promise<HttpAnswer> {
  const name = nameAt("namespace", await read(parseBackupBody));
  const { id, point, expiresAtMs, objects } = await backups.begin(name);
  const listed = objects.map(({ key, content }) => ({ key, ...content }));
  const expires = { expires_at: timeOf(expiresAtMs) };
  return jsonAnswer(200, { id, ...pointJson(point), ...expires, objects: listed });
}

async function readBackup({ backups, parameters }: BackupCall): Promise<HttpAnswer> {
  const start = parameters.start === undefined ? 0 : numberOf(parameters.start);
  const { id = "" } = parameters;
  const { bytes, isLast } = await backups.read(id, numberOf(parameters.number), start);
  const body = Uint8Array.from(bytes); // It moves to another thread.
  // Outside of this thread, which has writes to commit.
  const digest = Buffer.from(await webcrypto.subtle.digest("SHA-256", body)).toString("base64");
  const headers = {
    "content-type": "application/octet-stream",
    [DIGEST_HEADER]: `sha-256=:${digest}:`,
    [END_HEADER]: String(isLast),
  };
  return { status: 200, headers, body };
}

async function endBackup({ backups, parameters: { id = "" } }: BackupCall): Promise<HttpAnswer> {
  await backups.end(id);
  return jsonAnswer(200, { status: "OK" });
}

async function beginRestore({ restores, read }: BackupCall): Promise<HttpAnswer> {
  return jsonAnswer(200, { id: await restores.begin(await read(parseRestoreBody)) });
}

async function lookRestore({ restores, parameters }: BackupCall): Promise<HttpAnswer> {
  const { id = "", number } = parameters;
  return jsonAnswer(200, { present: await restores.isPresent(id, numberOf(number)) });
}

async function putRestore({ restores, parameters, body }: BackupCall): Promise<HttpAnswer> {
  const { id = "", number, start = "0" } = parameters;
  const part = { start: numberOf(start), bytes: await body() };
  return jsonAnswer(200, { received: await restores.take(id, numberOf(number), part) });
}

async function finishRestore({ restores, parameters }: BackupCall): Promise<HttpAnswer> {
  return jsonAnswer(200, { documents: await restores.finish(parameters.id ?? "") });
}

async function endRestore({ restores, parameters: { id = "" } }: BackupCall): Promise<HttpAnswer> {
  await restores.cancel(id);
  return jsonAnswer(200, { status: "OK" });
}

async function create(call: BackupCall): Promise<HttpAnswer> {
  const { points, read } = call;
  const nowMs = points.namespaceOptions.clock.nowMs();
  const { name, expiresInMs } = await read(parseCheckpointBody);
  const to = { name: name ?? `at-${timeOf(nowMs).replace(/[:.]/g, "-")}` };
  const expiresAtMs = expiresInMs === undefined ? Number.MAX_SAFE_INTEGER : nowMs + expiresInMs;
  const made = await createCheckpoint(
    namespaceOf(call),
    { ...to, expiresAtMs },
    withProgress(call),
  );
  return jsonAnswer(200, shown(made));
}

async function list(call: BackupCall): Promise<HttpAnswer> {
  const found = await currentCheckpoints(namespaceOf(call), call.points);
  return jsonAnswer(200, { checkpoints: found.map(shown) });
}

async function remove(call: BackupCall): Promise<HttpAnswer> {
  const { checkpoint = "" } = call.parameters;
  await deleteCheckpoint(namespaceOf(call), checkpoint, withProgress(call));
  return jsonAnswer(200, { status: "OK" });
}

async function restore(call: BackupCall): Promise<HttpAnswer> {
  const as = nameAt("as", await call.read(parseCheckpointRestoreBody));
  const of = { name: call.parameters.checkpoint ?? "", as };
  const { documentCount } = await restoreCheckpoint(namespaceOf(call), of, withProgress(call));
  return jsonAnswer(200, { namespace: as, documents: documentCount });
}

function withProgress({ points }: BackupCall) {
  return { ...points, visible: [EVERY_NAMESPACE], progress: () => {} };
}

function shown({ name, of, createdAtMs, expiresAtMs }: Checkpoint) {
  const isForever = expiresAtMs > LAST_TIME_MS;
  return {
    name,
    generation: of.generation,
    created_at: timeOf(createdAtMs),
    expires_at: isForever ? null : timeOf(expiresAtMs),
  };
}

/** The last moment that answers can name: the end of the year 9999. What lasts longer never ends. */
const LAST_TIME_MS = 253_402_300_799_999;

function timeOf(ms: number): string {
  return formatDatetime(BigInt(Math.min(ms, LAST_TIME_MS)));
}

function numberOf(text: string | undefined): number {
  if (text !== undefined && /^\d{1,15}$/.test(text)) return Number(text);
  throw invalid(`💔 the number of an object, and start, must be integers from 0 on`);
}

function nameAt(member: string, text: string): NamespaceName {
  const fault = namespaceNameFault(text);
  if (fault !== undefined) throw invalid(`💔 ${member}: ${fault}`);
  return namespaceName(text);
}

function namespaceOf({ namespace }: BackupCall): NamespaceName {
  if (namespace === undefined) throw new Error("a checkpoint without a namespace");
  return namespace;
}
