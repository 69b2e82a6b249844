import { describe, expect, test } from "vitest";
import { type Random, seededRandom } from "../../../src/base/random.ts";
import { testSeed } from "../random/seed.ts";
import { checkHistory } from "./check-history.ts";
import { explainViolation } from "./explain-violation.ts";
import type { Model, Operation } from "./operation.ts";

type Value = number | null;
type Input =
  | { readonly kind: "read" }
  | { readonly kind: "write"; readonly value: Value }
  | { readonly kind: "cas"; readonly from: Value; readonly to: Value };
/** The value of a read; whether a compare-and-set took place. */
type Output = Value | boolean;

/** Names calls as the published histories do. */
const read: Input = { kind: "read" };
const write = (value: Value): Input => ({ kind: "write", value });
const cas = (from: Value, to: Value): Input => ({ kind: "cas", from, to });

function register(initial: Value): Model<Value, Input, Output> {
  return {
    initial,
    step: (state, input, output) => {
      const isOpen = output === undefined;
      switch (input.kind) {
        case "read":
          return { ok: isOpen || output === state, state };
        case "write":
          return { ok: true, state: input.value };
        case "cas": {
          const isMet = state === input.from;
          return { ok: isOpen || output === isMet, state: isMet ? input.to : state };
        }
      }
    },
    textOf: String,
  };
}

type Call = readonly [
  input: Input,
  calledAt: number,
  returnedAt?: number | undefined,
  output?: Output,
];

function operation([input, calledAt, at, output = null]: Call, number: number) {
  const call = { caller: `client ${number}`, input, calledAt };
  return at === undefined ? call : { ...call, returned: { at, output } };
}

const verdictOf = (initial: Value, calls: readonly Call[]) =>
  checkHistory(register(initial), calls.map(operation)).kind;

/** Calls by name: whether the history is linearizable, its initial value, and its calls. */
const HISTORIES: Record<string, [isLinearizable: boolean, initial: Value, ...Call[]]> = {
  "nothing happened": [true, 0],
  "a read of the initial value": [true, 0, [read, 0, 1, 0]],
  "a read of a value that was never written": [false, 0, [read, 0, 1, 1]],
  "a stale read": [false, 0, [write(1), 0, 1], [read, 2, 3, 0]],
  "a stale read on another client, after a fresh one": [
    false,
    0,
    [write(1), 0, 9],
    [read, 1, 2, 1],
    [read, 3, 4, 0],
  ],
  "two values read during one write, in the right order": [
    true,
    0,
    [write(1), 0, 9],
    [read, 1, 2, 0],
    [read, 3, 4, 1],
  ],
  "a write that another overlapping one overwrote": [
    true,
    0,
    [write(1), 0, 3],
    [write(2), 1, 2],
    [read, 4, 5, 1],
  ],
  "two orders of the same writes": [
    false,
    0,
    [write(1), 0, 9],
    [write(2), 0, 9],
    [read, 10, 11, 1],
    [read, 12, 13, 2],
  ],
  "a lost update": [
    false,
    0,
    [read, 0, 1, 0],
    [read, 0, 1, 0],
    [cas(0, 1), 2, 4, true],
    [cas(0, 2), 3, 5, true],
    [read, 6, 7, 2],
  ],
  "a compare-and-set that a concurrent one has made fail": [
    true,
    0,
    [cas(0, 1), 2, 4, true],
    [cas(0, 2), 3, 5, false],
    [read, 6, 7, 1],
  ],
  "an unknown write that took effect late": [
    true,
    0,
    [write(1), 0],
    [read, 1, 2, 0],
    [write(2), 3, 4],
    [read, 5, 6, 2],
    [read, 7, 8, 1],
  ],
  "an unknown write that never took effect": [true, 0, [write(1), 0], [read, 1, 2, 0]],
  "an unknown write whose effect goes away": [
    false,
    0,
    [write(1), 0],
    [read, 1, 2, 1],
    [read, 3, 4, 0],
  ],
  "a read before an unknown write was called": [false, 0, [read, 0, 1, 1], [write(1), 2]],
  "an unknown write that took effect twice": [
    false,
    0,
    [write(1), 0],
    [read, 1, 2, 1],
    [write(2), 3, 4],
    [read, 5, 6, 1],
  ],
  // porcupine_test.go, TestRegisterModel and TestZeroDuration.
  "Porcupine: a register": [true, 0, [write(100), 0, 100], [read, 25, 75, 100], [read, 30, 60, 0]],
  "Porcupine: a register that goes back": [
    false,
    0,
    [write(200), 0, 100],
    [read, 10, 30, 200],
    [read, 40, 90, 0],
  ],
  "Porcupine: operations of no duration": [
    true,
    0,
    [write(100), 0, 100],
    [read, 25, 75, 100],
    [read, 30, 30, 0],
    [read, 30, 30, 0],
  ],
  "Porcupine: operations of no duration, and a register that goes back": [
    false,
    0,
    [write(200), 0, 100],
    [read, 10, 10, 200],
    [read, 10, 10, 200],
    [read, 40, 90, 0],
  ],
  // The README and the tests of Knossos.
  "Knossos: a crashed write with a read of it": [true, 0, [write(3), 1], [read, 0, 2, 3]],
  "Knossos: a crashed write": [true, 0, [write(1), 0]],
  "Knossos: the failed write of RethinkDB that was read": [
    false,
    null,
    [write(0), 0, 1],
    [read, 2, 4, 3],
    [write(4), 3, 5],
    [read, 6, 7, 4],
  ],
  "Knossos: all reads overlap all writes": [
    true,
    0,
    ...[1, 2, 3].flatMap((value): Call[] => [
      [write(value), value * 2, 10 + value * 2],
      [read, value * 2 + 1, 11 + value * 2, value],
    ]),
  ],
  "Knossos: history-a": [
    true,
    0,
    [write(2), 0, 1],
    [read, 2],
    [write(4), 3, 4],
    [read, 5, 6, 4],
    [write(0), 7, 8],
    [read, 9, 10, 0],
  ],
};

test.each(Object.entries(HISTORIES))("%s", (_name, [isLinearizable, initial, ...calls]) => {
  expect(verdictOf(initial, calls)).toBe(isLinearizable ? "linearizable" : "illegal");
  expect(verdictOf(initial, calls.toReversed())).toBe(isLinearizable ? "linearizable" : "illegal");
});

test("the order of a linearizable history has each effect once, and explains each output", () => {
  const calls: Call[] = [
    [write(1), 0, 9],
    [write(2), 0],
    [write(3), 0],
    [read, 1, 8, 2],
    [read, 2, 7, 1],
  ];
  const verdict = checkHistory(register(0), calls.map(operation));
  const order = verdict.kind === "linearizable" ? verdict.order : [];
  const callers = order.map(({ caller }) => caller);
  // The write of 3 need not have taken effect.
  expect(callers).toEqual(["client 0", "client 4", "client 1", "client 3"]);
});

describe("many unknown writes", () => {
  const count = 200;
  const writes = Array.from({ length: count }, (_, at): Call => [write(at + 1), at]);

  test("cost one configuration each", () => {
    const stale: Call[] = [
      [read, count, count + 1, 7],
      [write(-1), count + 2, count + 3],
      [read, count + 4, count + 5, 7],
    ];
    const history = [...writes, ...stale].map(operation);
    expect(checkHistory(register(0), history, 4 * count).kind).toBe("illegal");
  });

  test("are no reason to say illegal when the limit is reached", () => {
    const history = [...writes, [read, count, count + 1, -1] as Call].map(operation);
    expect(checkHistory(register(0), history, 50)).toEqual({
      kind: "unknown",
      configurations: 50,
    });
  });
});

/** Draws a history in which a part of the outputs comes from a real register, and others do not. */
function randomCalls(random: Random): Call[] {
  const value = () => random.below(3);
  return Array.from({ length: 1 + random.below(6) }, (): Call => {
    const calledAt = random.below(12);
    const at = random.below(5) === 0 ? undefined : calledAt + random.below(5);
    switch (random.below(3)) {
      case 0:
        return [read, calledAt, at, value()];
      case 1:
        return [write(value()), calledAt, at];
      default:
        return [cas(value(), value()), calledAt, at, random.below(2) === 0];
    }
  });
}

/** Tries each next operation that no other one precedes, until all that returned are placed. */
function naiveIsLinearizable(
  model: Model<Value, Input, Output>,
  left: readonly Operation<Input, Output>[],
  state = model.initial,
): boolean {
  if (left.every(({ returned }) => returned === undefined)) return true;
  return left.some((next) => {
    if (left.some(({ returned }) => returned !== undefined && returned.at < next.calledAt)) {
      return false;
    }
    const { ok, state: after } = model.step(state, next.input, next.returned?.output);
    const others = left.filter((other) => other !== next);
    return ok && naiveIsLinearizable(model, others, after);
  });
}

test("small histories have the verdict of a naive search over all orders", () => {
  const random = seededRandom(testSeed());
  const counts = { linearizable: 0, illegal: 0, unknown: 0 };
  for (let drawn = 0; drawn < 4_000; drawn++) {
    const calls = randomCalls(random);
    const history = calls.map(operation);
    const { kind } = checkHistory(register(0), history);
    const wanted = naiveIsLinearizable(register(0), history) ? "linearizable" : "illegal";
    expect(kind, JSON.stringify(calls)).toBe(wanted);
    counts[kind]++;
  }
  expect(counts.linearizable).toBeGreaterThan(400);
  expect(counts.illegal).toBeGreaterThan(400);
});

test("a long history of overlapping clients of a real register is linearizable", () => {
  const random = seededRandom(testSeed());
  let value = 0;
  const calls = Array.from({ length: 2_000 }, (_, at): Call => {
    // Takes effect at 10 × at, and begins and ends up to five others away from that.
    const [calledAt, returnedAt] = [10 * at - random.below(50), 10 * at + 1 + random.below(50)];
    if (random.below(2) === 0) return [read, calledAt, returnedAt, value];
    value = random.below(5);
    return [write(value), calledAt, random.below(40) === 0 ? undefined : returnedAt];
  });
  expect(verdictOf(0, calls)).toBe("linearizable");
});

const textOf = (input: Input, output: Output | undefined) =>
  `${Object.values(input).join(" ")} → ${output}`;

/** Forty writes, each with two concurrent reads. */
const LEGAL = Array.from({ length: 40 }, (_, at): Call[] => [
  [write(at), 10 * at, 10 * at + 9],
  [read, 10 * at + 2, 10 * at + 8, at],
  [read, 10 * at + 3, 10 * at + 4, at],
]).flat();

const explanationOf = (...calls: Call[]) =>
  explainViolation(register(0), [...LEGAL, ...calls].map(operation), textOf).split("\n");

test("a stale read is shown with the write of its value and what has overwritten it", () => {
  expect(explanationOf([read, 400, 402, 37], [read, 403, 404, 39], [write(7), 401])).toEqual([
    expect.stringMatching(/^no order of these .* marked one, which is of an earlier state:$/),
    "  370 to 379     client 111: write 37 → null",
    "  390 to 399     client 117: write 39 → null",
    "→ 400 to 402     client 120: read → 37",
    "an order of the others leads to 39",
  ]);
});

test("a value that was never written is shown alone", () => {
  expect(explanationOf([read, 400, 402, -1], [write(-1), 403, 404])).toEqual([
    expect.stringMatching(/^no order of these .* marked one:$/),
    "→ 400 to 402     client 120: read → -1",
    "an order of the others leads to 0",
  ]);
});

test("a lost update is shown with the update", () => {
  const [, ...shown] = explanationOf([cas(39, 50), 400, 402, true], [cas(39, 51), 403, 404, true]);
  expect(shown).toEqual([
    "  390 to 399     client 117: write 39 → null",
    "  400 to 402     client 120: cas 39 50 → true",
    "→ 403 to 404     client 121: cas 39 51 → true",
    "an order of the others leads to 50",
  ]);
});
