/** What is said of backups, restores and checkpoints. */

import type { OperationName } from "../../api/engine.ts";
import { BACKUP_PART_BYTES_MAX } from "../../model/backup.ts";
import { integer, ref, text } from "../schemas/json-schema.ts";
import type { AnswerDoc, OperationDoc } from "./operation-doc.ts";

const START = { start: integer("The byte at which the part begins.", { minimum: 0, default: 0 }) };
const BYTES = { type: "application/octet-stream", schema: {} };

/** By operation. */
export const BACKUP_DOCS = {
  begin_backup: {
    tag: "Backups",
    summary: "Begin a backup",
    description: "Keeps the present state of a namespace until the backup ends, and lists it.",
    body: { schema: ref("BackupRequest"), isRequired: true },
    answers: { 200: ok("BackupAnswer", "What to read.") },
    errors: [404, 409],
  },
  read_backup: {
    tag: "Backups",
    summary: "Read an object of a backup",
    description: `Up to ${BACKUP_PART_BYTES_MAX} bytes, as they are stored.`,
    query: START,
    answers: {
      200: {
        description: "A part.",
        content: BYTES,
        headers: {
          "content-digest": text("SHA-256 of the part (RFC 9530)."),
          "trawl-object-end": { type: "string", enum: ["true", "false"] },
        },
      },
    },
  },
  end_backup: {
    tag: "Backups",
    summary: "End a backup",
    description: "The state is no longer kept for it.",
    answers: { 200: ok("Ok", "It has ended.") },
  },
  begin_restore: {
    tag: "Backups",
    summary: "Begin a restore",
    description: "Says what objects will come, and which namespace they become.",
    body: { schema: ref("RestoreRequest"), isRequired: true },
    answers: { 200: ok("RestoreAnswer", "It waits for its objects.") },
    errors: [404, 409],
  },
  look_restore: {
    tag: "Backups",
    summary: "Look for an object",
    description: "Whether an object is there already, and need not be sent.",
    answers: { 200: ok("RestoreLook", "Whether it is.") },
  },
  put_restore: {
    tag: "Backups",
    summary: "Send an object",
    description: `A part of up to ${BACKUP_PART_BYTES_MAX} bytes, one after the other.`,
    query: START,
    body: { ...BYTES, isRequired: true },
    answers: { 200: ok("RestorePut", "It was taken.") },
    errors: [409],
  },
  finish_restore: {
    tag: "Backups",
    summary: "Finish a restore",
    description: "Checks what came; the namespace exists when this is answered.",
    answers: { 200: ok("RestoreEnd", "The namespace is there.") },
    errors: [409],
  },
  end_restore: {
    tag: "Backups",
    summary: "Take a restore back",
    description: "What was sent is removed.",
    answers: { 200: ok("Ok", "It has ended.") },
  },
  create_checkpoint: {
    tag: "Checkpoints",
    summary: "Make a checkpoint",
    description: "Keeps the present state of the namespace, by a name.",
    body: { schema: ref("CheckpointRequest"), isRequired: false },
    answers: { 200: ok("Checkpoint", "It is kept.") },
    errors: [409],
  },
  list_checkpoints: {
    tag: "Checkpoints",
    summary: "List checkpoints",
    description: "Those of the namespace as it is.",
    answers: { 200: ok("CheckpointList", "All of them.") },
  },
  delete_checkpoint: {
    tag: "Checkpoints",
    summary: "Delete a checkpoint",
    description: "Its state is no longer kept.",
    answers: { 200: ok("Ok", "It is gone.") },
  },
  restore_checkpoint: {
    tag: "Checkpoints",
    summary: "Restore a checkpoint",
    description: "Makes a new namespace of it.",
    body: { schema: ref("CheckpointRestoreRequest"), isRequired: true },
    answers: { 200: ok("CheckpointRestoreAnswer", "The namespace is there.") },
    errors: [409],
  },
} satisfies Partial<Readonly<Record<OperationName, OperationDoc>>>;

function ok(name: string, description: string): AnswerDoc {
  return { description, content: { schema: ref(name) } };
}
