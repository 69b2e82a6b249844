import { clipName } from "../../base/bounded-text.ts";

/** Objects with more members than this find duplicate names with a Set. */
const LISTED_NAMES_MAX = 16;

/** Of containers without remembered names, which most are; never changed. */
const NO_NAMES: string[] = [];

/** A container that is being read. */
interface Frame {
  isObject: boolean;
  /** Members or elements begun so far. */
  count: number;
  /** Name of the member that was read last. */
  name: string | undefined;
  /** Names of the members so far, in order; an array, so that it can be cut back. */
  names: string[];
  /** The same as a set, once there are many. */
  nameSet: Set<string> | undefined;
}

/**
 * The containers around the reading position. Knows the path for messages, finds duplicate names,
 * and can go back to a saved state.
 */
export class JsonStack {
  depth = 0;

  readonly #frames: Frame[] = [];
  readonly #saved: Frame[] = [];
  readonly #savedNameCounts: number[] = [];
  #savedDepth = 0;

  open(isObject: boolean): void {
    if (this.depth === this.#frames.length) this.#frames.push(newFrame());
    const frame = this.#frames[this.depth++];
    frame.isObject = isObject;
    frame.count = 0;
    frame.name = undefined;
    // Not cut to length 0: a saved state may still refer to the old array.
    frame.names = NO_NAMES;
    frame.nameSet = undefined;
  }

  close(): void {
    this.depth--;
  }

  /** Elements or members begun in the innermost container. */
  get count(): number {
    return this.#frames[this.depth - 1].count;
  }

  set count(count: number) {
    this.#frames[this.depth - 1].count = count;
  }

  /** Whether the innermost container is an object. */
  get isObject(): boolean {
    return this.#frames[this.depth - 1].isObject;
  }

  /** Notes which member is being read, for paths alone. */
  set name(name: string) {
    this.#frames[this.depth - 1].name = name;
  }

  /** Remembers a member's name; false if the object has one of that name already. */
  addName(name: string): boolean {
    const frame = this.#frames[this.depth - 1];
    if (frame.names === NO_NAMES) frame.names = [];
    if (frame.names.length < LISTED_NAMES_MAX) {
      if (frame.names.includes(name)) return false;
    } else {
      frame.nameSet ??= new Set(frame.names);
      if (frame.nameSet.has(name)) return false;
      frame.nameSet.add(name);
    }
    frame.names.push(name);
    return true;
  }

  /** The path of the value that is being read, such as `upsert_rows[17].vector[3]`. */
  path(): string {
    let path = "";
    for (const frame of this.#frames.slice(0, this.depth)) {
      if (!frame.isObject) {
        if (frame.count > 0) path += `[${frame.count - 1}]`;
      } else if (frame.name === undefined) continue;
      else path += memberStep(path, clipName(frame.name));
    }
    return path;
  }

  /** Saves the state, replacing what was saved before. Cost: the depth. */
  save(): void {
    this.#savedDepth = this.depth;
    for (let i = 0; i < this.depth; i++) {
      if (i === this.#saved.length) this.#saved.push(newFrame());
      Object.assign(this.#saved[i], this.#frames[i]);
      this.#savedNameCounts[i] = this.#frames[i].names.length;
    }
  }

  /**
   * Goes back to the saved state, also when containers of it were closed since. Cost: the depth,
   * and the names that were added since, not those from before.
   */
  restore(): void {
    this.depth = this.#savedDepth;
    for (let i = 0; i < this.depth; i++) {
      const frame = this.#frames[i];
      Object.assign(frame, this.#saved[i]);
      const undone = frame.names.splice(this.#savedNameCounts[i]);
      for (const name of undone) frame.nameSet?.delete(name);
    }
  }
}

function memberStep(path: string, name: string): string {
  if (!/^[\p{L}\p{N}_$-]+$/u.test(name)) return `[${JSON.stringify(name)}]`;
  return path === "" ? name : `.${name}`;
}

function newFrame(): Frame {
  return { isObject: false, count: 0, name: undefined, names: NO_NAMES, nameSet: undefined };
}
