/**
 * Turns among members of which some are long, and nobody knows which: a member that has used little
 * shares as in `FairTurns`; those that have used much stand in a line for each power of two of what
 * they used, and each line shares as one member. So a member never waits for one that is much
 * longer, and of many that are alike the first ones end early; if all shared alike, all would end
 * last, and those who wait for at most so long would all leave empty-handed. A multilevel feedback
 * queue: Corbató, Merwin-Daggett, Daley, "An experimental time-sharing system", 1962.
 */

import { FairTurns } from "./fair-turns.ts";

/** Members in a line; the first one has its turns. */
interface Line<Member> {
  readonly members: Member[];
}

interface Place<Member> {
  used: number;
  /** 0: not long yet, alone in its line. */
  level: number;
  line: Line<Member>;
}

/** See the file's head. */
export class MultilevelTurns<Member> {
  /** What a member may use before it stands in a line, in any unit. */
  readonly #longUse: number;
  readonly #lines: FairTurns<Line<Member>>;
  readonly #places = new Map<Member, Place<Member>>();
  /** The lines by level from 1 on. */
  readonly #levels = new Map<number, Line<Member>>();

  /** `credit`: see `FairTurns`. */
  constructor(longUse: number, credit: number) {
    this.#longUse = longUse;
    this.#lines = new FairTurns(credit);
  }

  get size(): number {
    return this.#places.size;
  }

  /** Takes a member in, that has used so much before. */
  add(member: Member, used = 0): void {
    const level = this.#levelOf(used);
    const line = this.#join(member, level);
    this.#places.set(member, { used, level, line });
  }

  /** Does nothing if it is no member. */
  remove(member: Member): void {
    const place = this.#places.get(member);
    if (place === undefined) return;
    this.#places.delete(member);
    this.#leave(member, place);
  }

  /** The member whose turn it is; undefined if there is none. */
  next(): Member | undefined {
    return this.#lines.next()?.members[0];
  }

  /** A member has used so much. */
  charge(member: Member, used: number): void {
    const place = this.#places.get(member);
    if (place === undefined) return;
    this.#lines.charge(place.line, used);
    place.used += used;
    const level = this.#levelOf(place.used);
    if (level === place.level) return;
    this.#leave(member, place);
    place.level = level;
    place.line = this.#join(member, level);
  }

  #levelOf(used: number): number {
    return Math.max(0, 1 + Math.floor(Math.log2(used / this.#longUse)));
  }

  #join(member: Member, level: number): Line<Member> {
    let line = this.#levels.get(level);
    if (line === undefined) {
      line = { members: [] };
      if (level > 0) this.#levels.set(level, line);
      this.#lines.add(line);
    }
    line.members.push(member);
    return line;
  }

  #leave(member: Member, { level, line }: Place<Member>): void {
    line.members.splice(line.members.indexOf(member), 1);
    if (line.members.length > 0) return;
    this.#lines.remove(line);
    if (level > 0) this.#levels.delete(level);
  }
}
