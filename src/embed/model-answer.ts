/** Answers of services that run models: checked, since other programs made them. */

import { DatabaseError } from "../base/errors.ts";
import type { ModelServiceOptions } from "./model-service.ts";

type Task = ModelServiceOptions["task"];

/** Reads the members of an answer; throws `unavailable` if it is no object. */
export function parseModelAnswer(task: Task, text: string): Record<string, unknown> {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw unusableAnswer(task, "no JSON");
  }
  return answerObject(task, answer, "no object");
}

/** Checks for an object; `fault` says what it is instead. */
export function answerObject(task: Task, value: unknown, fault: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null) throw unusableAnswer(task, fault);
  return value as Record<string, unknown>;
}

/** Builds the error for an answer that cannot be used. */
export function unusableAnswer(task: Task, reason: string): DatabaseError {
  return new DatabaseError(
    "unavailable",
    `${task} service gives an answer that is not understood: ${reason}`,
  );
}
