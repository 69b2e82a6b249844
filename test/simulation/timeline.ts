/** All states that a namespace went through, in the order of its log. */

import type { NamespaceState } from "./namespace-state.ts";

/** A state, or several where the log leaves open which one it is. */
export interface Position {
  /** Number of the event from which on the namespace was in it. */
  readonly event: number;
  readonly generation: number;
  readonly sequence: number;
  /** By variant of the epoch; undefined: the namespace does not exist. */
  readonly states: readonly (NamespaceState | undefined)[];
  readonly epoch: Epoch;
}

/**
 * Positions after a copy, whose entry does not tell what was copied: it is one of the states that
 * the source went through meanwhile. Each is a variant; what clients read later rules some out.
 */
export interface Epoch {
  readonly possible: boolean[];
}

/** The history of one name. */
export class Timeline {
  readonly positions: Position[] = [];

  constructor() {
    this.begin({ event: 0, generation: 0, sequence: 0 }, [undefined]);
  }

  get last(): Position {
    return this.positions[this.positions.length - 1];
  }

  /** Goes on within the last epoch. */
  add(
    at: { readonly event: number; readonly generation: number; readonly sequence: number },
    states: readonly (NamespaceState | undefined)[],
  ): number {
    this.positions.push({ ...at, states, epoch: this.last.epoch });
    return this.positions.length - 1;
  }

  /** Begins an epoch. */
  begin(
    at: { readonly event: number; readonly generation: number; readonly sequence: number },
    states: readonly (NamespaceState | undefined)[],
  ): number {
    this.positions.push({ ...at, states, epoch: { possible: states.map(() => true) } });
    return this.positions.length - 1;
  }

  /** Index of the last position that was reached at an event. */
  indexAt(event: number): number {
    return this.positions.findLastIndex((position) => position.event <= event);
  }

  /** The states of a position that nothing has ruled out. */
  possibleStates(index: number): (NamespaceState | undefined)[] {
    const { states, epoch } = this.positions[index];
    return states.filter((_, variant) => epoch.possible[variant]);
  }

  /**
   * The first position, from `first` to `last` in either direction, one of whose states is as
   * `fits` says. Where there is but one position, what does not fit is ruled out.
   */
  find(
    range: { readonly first: number; readonly last: number },
    fits: (state: NamespaceState | undefined, index: number) => boolean,
  ): number | undefined {
    const { first, last } = range;
    const step = first <= last ? 1 : -1;
    for (let index = first; index !== last + step; index += step) {
      const { states, epoch: own } = this.positions[index];
      const fitting = states.map((state, i) => own.possible[i] && fits(state, index));
      if (!fitting.includes(true)) continue;
      if (first === last) own.possible.splice(0, own.possible.length, ...fitting);
      return index;
    }
    return undefined;
  }
}
