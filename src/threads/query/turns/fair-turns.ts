/**
 * Who is next: start-time fair queueing. Each member has a time of its own that runs with what it
 * has used, divided by its weight, and the one whose time is least goes next. The common time runs
 * with all use, divided by all weights; a new member starts at it, so that it neither waits for
 * what others have used before it came nor is paid for having been away. Goyal, Vin, Cheng,
 * "Start-time fair queueing", 1996.
 */
export class FairTurns<Member> {
  readonly #times = new Map<Member, { time: number; readonly weight: number }>();
  #commonTime = 0;
  #weights = 0;

  get size(): number {
    return this.#times.size;
  }

  /** Takes a new member in; one of twice the weight gets twice as much. */
  add(member: Member, weight = 1): void {
    this.#times.set(member, { time: this.#commonTime, weight });
    this.#weights += weight;
  }

  /** Does nothing if it is no member. */
  remove(member: Member): void {
    this.#weights -= this.#times.get(member)?.weight ?? 0;
    this.#times.delete(member);
  }

  /** The member whose turn it is, of several the one that came last; undefined if there is none. */
  next(): Member | undefined {
    let next: Member | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const [member, { time }] of this.#times) {
      if (time > least) continue;
      least = time;
      next = member;
    }
    return next;
  }

  /** A member has used so much, in any unit. */
  charge(member: Member, used: number): void {
    const own = this.#times.get(member);
    if (own === undefined) return;
    own.time += used / own.weight;
    this.#commonTime += used / this.#weights;
  }
}
