import { Pace } from "../../base/pace.ts";
import type { Steps } from "../../base/steps.ts";

/** Objects that one step copies. */
const NODES_PER_STEP = 4096;

/**
 * Copies the nodes of a plan, in steps, for another attempt: what operators keep with a node was
 * counted for the attempt that made it. Lists of values, vectors and maps are shared.
 */
export function copyNodes<T>(node: T): Steps<T> {
  return copied(node, new Pace(NODES_PER_STEP));
}

function* copied<T>(value: T, pace: Pace): Steps<T> {
  if (Array.isArray(value)) {
    if (!value.some(isObject)) return value;
    const copy: unknown[] = [];
    for (const element of value)
      copy.push(isObject(element) ? yield* copied(element, pace) : element);
    return copy as T;
  }
  if (!isPlain(value)) return value;
  if (pace.isDue(1)) yield;
  const copy: Record<string, unknown> = {};
  for (const [name, part] of Object.entries(value)) {
    copy[name] = isObject(part) ? yield* copied(part, pace) : part;
  }
  return copy as T;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return isObject(value) && Object.getPrototypeOf(value) === Object.prototype;
}
