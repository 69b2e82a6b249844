import { assert, must } from "../../base/assert.ts";

/** Operators of one role by the kind of their nodes: exactly one for each kind. */
export class OperatorRegistry<Operator extends { readonly kind: string }> {
  readonly #byKind: ReadonlyMap<string, Operator>;

  constructor(operators: readonly Operator[]) {
    this.#byKind = new Map(operators.map((operator) => [operator.kind, operator]));
    assert(this.#byKind.size === operators.length, "two operators of one kind");
  }

  /** The kinds of nodes, in the order of the operators. */
  get kinds(): string[] {
    return [...this.#byKind.keys()];
  }

  /** The operator of a node; a node without one is a bug of the planner. */
  of({ kind }: { readonly kind: string }): Operator {
    return must(this.#byKind.get(kind), `no operator of kind ${kind}`);
  }
}
