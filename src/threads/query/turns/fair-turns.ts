/**
 * Who is next: start-time fair queueing. Each member has a time of its own that runs with what it
 * has used, and the one whose time is least goes next. A new member starts
 * at the least time of the others, so that it goes next, whatever they have used before it came,
 * and is not paid for having been away. Goyal, Vin, Cheng, "Start-time fair queueing", 1996.
 *
 * Members that come, use little and leave would keep all others waiting that way. So what new ones
 * use is counted for all of them together: once it is more than half of everything, by more than a
 * credit, the next ones start later. The credit for flows that need little is the one of borrowed
 * virtual time (Duda, Cheriton, 1999).
 */
export class FairTurns<Member> {
  readonly #credit: number;
  readonly #members = new Map<Member, { time: number }>();
  /** Runs with what members have used that left soon, divided by the number of the others. */
  #newcomersTime = 0;

  /** `credit` is what one use of a turn may come to, in the unit of `charge`. */
  constructor(credit: number) {
    this.#credit = credit;
  }

  get size(): number {
    return this.#members.size;
  }

  /** Takes a new member in. */
  add(member: Member): void {
    const time = Math.max(this.#leastTime, this.#newcomersTime - this.#credit);
    this.#members.set(member, { time });
  }

  /** Does nothing if it is no member. */
  remove(member: Member): void {
    const own = this.#members.get(member);
    if (own === undefined) return;
    const leastTime = this.#leastTime;
    this.#members.delete(member);
    const used = Math.min(own.time - leastTime, this.#credit);
    const since = Math.max(this.#newcomersTime, leastTime);
    this.#newcomersTime = this.size > 0 ? since + used / this.size : own.time;
  }

  /** The member whose turn it is, of several the one that came last; undefined if there is none. */
  next(): Member | undefined {
    let next: Member | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const [member, { time }] of this.#members) {
      if (time > least) continue;
      least = time;
      next = member;
    }
    return next;
  }

  /** A member has used so much, in any unit. */
  charge(member: Member, used: number): void {
    const own = this.#members.get(member);
    if (own !== undefined) own.time += used;
  }

  get #leastTime(): number {
    let least = Number.POSITIVE_INFINITY;
    for (const { time } of this.#members.values()) least = Math.min(least, time);
    return this.#members.size === 0 ? this.#newcomersTime : least;
  }
}
