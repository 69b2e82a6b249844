/** Random histories against a Map: after every step what is read equals it (I1 to I4, I10). */

import { expect, test } from "vitest";
import { type Random, seededRandom } from "../../src/base/random.ts";
import { InstantClock } from "../support/clocks/instant-clock.ts";
import { effort } from "../support/effort.ts";
import { type Answer, EngineFixture, type Row } from "../support/engine/engine-fixture.ts";
import { FaultyObjectStore } from "../support/stores/faulty-object-store.ts";
import { MemoryObjectStore } from "../support/stores/memory-object-store.ts";

const NAMES = ["x", "y", "z"];
const IDS = 24;
const QUIET = { before: 0, after: 0, delayMsMax: 0 };

/** In a storm nine of ten tries fail, so that most requests do. */
const WEATHER = [
  QUIET,
  QUIET,
  { before: 0.12, after: 0.12, delayMsMax: 3 },
  { before: 0.45, after: 0.45, delayMsMax: 3 },
];

type Documents = ReadonlyMap<number, Row>;
type State = ReadonlyMap<string, Documents>;
/** What a request makes of a state, or the status that refuses it. */
type Effect = (state: State) => State | number;
type Condition = readonly [string, "Eq" | "Gt", unknown];

interface Body {
  upsert_rows?: Row[];
  patch_rows?: Row[];
  deletes?: number[];
  delete_by_filter?: Condition;
  patch_by_filter?: { filters: Condition; patch: Row };
  upsert_condition?: Condition;
  patch_condition?: Condition;
  delete_condition?: Condition;
  schema?: Record<string, unknown>;
}

function holds([attribute, operator, operand]: Condition, row: Row): boolean {
  const value = row[attribute] ?? null;
  if (operator === "Eq") return value === operand;
  return typeof value === typeof operand && (value as number) > (operand as number);
}

function clean(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}

/** What a write makes of a namespace; undefined if there is none before and after. */
function written(before: Documents | undefined, body: Body): Documents | undefined {
  if (before === undefined && !body.upsert_rows?.length) return undefined;
  const dropped = droppedBy(body);
  const rows = new Map([...(before ?? [])].map(([id, row]) => [id, without(row, dropped)]));
  for (const [id, row] of [...rows]) {
    if (body.delete_by_filter && holds(body.delete_by_filter, row)) rows.delete(id);
  }
  for (const [id, row] of [...rows]) {
    const by = body.patch_by_filter;
    if (by && holds(by.filters, row)) rows.set(id, clean({ ...row, ...by.patch }));
  }
  const seen = new Map(rows);
  const allowed = (id: number, condition: Condition | undefined, ofAbsent: boolean) => {
    const current = seen.get(id);
    if (current === undefined) return ofAbsent;
    return condition === undefined || holds(condition, current);
  };
  for (const row of body.upsert_rows ?? []) {
    if (allowed(row.id as number, body.upsert_condition, true))
      rows.set(Number(row.id), clean(row));
  }
  for (const row of body.patch_rows ?? []) {
    if (!allowed(row.id as number, body.patch_condition, false)) continue;
    rows.set(Number(row.id), clean({ ...rows.get(Number(row.id)), ...row }));
  }
  for (const id of body.deletes ?? []) {
    if (allowed(id, body.delete_condition, true)) rows.delete(id);
  }
  return rows;
}

/** Attributes that a body drops, and in the same request uses again. */
function droppedBy({ schema = {} }: Body): string[] {
  return Object.keys(schema).filter((name) => typeof schema[name] === "object");
}

function without(row: Row, names: readonly string[]): Row {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));
}

const WORDS = ["red", "green", "blue", "fox", "dog", "sun"];

function randomRow(random: Random, id: number): Row {
  const row: Row = { id };
  const word = () => WORDS[random.below(WORDS.length)];
  if (random.below(3) > 0) row.a = random.below(6);
  if (random.below(3) > 0) row.b = `b${random.below(4)}`;
  if (random.below(2) > 0) row.t = Array.from({ length: 1 + random.below(5) }, word).join(" ");
  if (random.below(9) === 0) row.a = null;
  return row;
}

function randomCondition(random: Random): Condition {
  if (random.below(4) === 0) return ["b", "Eq", `b${random.below(4)}`];
  return ["a", random.below(2) === 0 ? "Eq" : "Gt", random.below(6)];
}

function randomBody(random: Random): Body {
  const ids = Array.from({ length: IDS }, (_, id) => id).sort(() => random.next() - 0.5);
  const some = (most: number) => ids.splice(0, random.below(most + 1));
  const one = (chance: number) => random.below(chance) === 0;
  const body: Body = { upsert_rows: some(6).map((id) => randomRow(random, id)) };
  if (one(2)) body.patch_rows = some(4).map((id) => ({ ...randomRow(random, id), a: 1 }));
  if (one(2)) body.deletes = some(4);
  if (one(6)) body.delete_by_filter = randomCondition(random);
  if (one(6)) body.patch_by_filter = { filters: randomCondition(random), patch: { b: "patched" } };
  if (one(4)) body.upsert_condition = randomCondition(random);
  if (body.patch_rows && one(3)) body.patch_condition = randomCondition(random);
  if (body.deletes && one(3)) body.delete_condition = randomCondition(random);
  body.schema = { a: "int", b: "string", t: "string" };
  const [first] = body.upsert_rows ?? [];
  if (first && one(6)) {
    first.a = 5;
    body.schema.a = { drop: true };
  }
  return body;
}

/** One history: the server, and the states in which it may be. */
class History {
  readonly random: Random;
  readonly store: FaultyObjectStore;
  readonly clock = new InstantClock();
  readonly faulty: boolean;
  engine!: EngineFixture;
  possible: State[] = [new Map()];
  /** Full-text parameters last asked for, by namespace. */
  indexed = new Set<string>();

  constructor(seed: number, faulty: boolean) {
    this.random = seededRandom(seed);
    this.faulty = faulty;
    this.store = new FaultyObjectStore({
      store: new MemoryObjectStore(),
      random: seededRandom(seed + 1),
      clock: this.clock,
      rates: QUIET,
    });
  }

  async restart(kind: "close" | "kill"): Promise<void> {
    this.store.setRates(QUIET);
    if (kind === "close") await this.engine.close();
    await this.open();
  }

  async open(): Promise<void> {
    this.engine = await EngineFixture.open({
      store: this.store,
      clock: this.clock,
      queryThreads: 2,
      thresholds: {
        indexTailEntries: 1 + this.random.below(8),
        indexInlineDocumentsMax: this.random.below(2) * 1000,
        segmentsUnmergedMax: 1 + this.random.below(20),
      },
    });
  }

  async step(): Promise<void> {
    if (this.faulty) this.store.setRates(WEATHER[this.random.below(WEATHER.length)]);
    const name = NAMES[this.random.below(NAMES.length)];
    const other = NAMES[this.random.below(NAMES.length)];
    const dice = this.random.below(40);
    if (dice === 0) return this.restart("close");
    if (dice === 1) return this.restart("kill");
    if (dice < 4) return this.drop(name);
    if (dice < 7) return this.copy(other, name);
    if (dice < 10) return this.changeSchema(name);
    if (dice < 13) return this.several(name);
    if (dice < 15) return this.redeclare(name);
    return this.write(name);
  }

  async write(name: string): Promise<void> {
    const body = randomBody(this.random);
    const answer = await this.engine.call("write", name, body);
    this.settle(answer, (state) => afterWrite(state, name, body));
  }

  /**
   * Writes that are sent together take effect in the order of their arrival, but where the store
   * fails: those that a fault turns away are tried again behind those that came meanwhile.
   */
  async several(name: string): Promise<void> {
    const bodies = Array.from({ length: 2 + this.random.below(5) }, () => randomBody(this.random));
    const answers = await Promise.all(bodies.map((body) => this.engine.call("write", name, body)));
    const sent = answers.map((answer, i) => {
      return { answer, effect: (state: State) => afterWrite(state, name, bodies[i]) };
    });
    if (this.faulty) this.settleInAnyOrder(sent);
    else for (const { answer, effect } of sent) this.settle(answer, effect);
  }

  async drop(name: string): Promise<void> {
    const answer = await this.engine.call("delete_namespace", name);
    this.settle(answer, (state) => (state.has(name) ? withRows(state, name, undefined) : 404));
  }

  async copy(from: string, to: string): Promise<void> {
    const kind = this.random.below(2) === 0 ? "copy" : "branch";
    const body = { [`${kind}_from_namespace`]: from };
    const answer = await this.engine.call("write", to, body);
    this.settle(answer, (state) => {
      const source = state.get(from);
      if (source === undefined) return 404;
      if ((state.get(to)?.size ?? 0) > 0) return 409;
      return withRows(state, to, source);
    });
  }

  async changeSchema(name: string): Promise<void> {
    const t = this.random.below(3) === 0 ? true : { language: "english", stemming: true };
    const body = { t: { type: "string", full_text_search: t } };
    const answer = await this.engine.call("update_schema", name, body);
    this.settle(answer, (state) => (state.has(name) ? state : 404));
  }

  /** Drops an attribute, and uses its name for values of whatever type. */
  async redeclare(name: string): Promise<void> {
    const answer = await this.engine.call("update_schema", name, { c: { drop: true } });
    const isAbsent = /no such attribute to drop/.test(answer.json.error);
    this.settle(isAbsent ? { ...answer, status: 200 } : answer, (state) => {
      const rows = state.get(name);
      if (rows === undefined) return 404;
      if (isAbsent && [...rows.values()].some((row) => "c" in row)) return 400;
      return withRows(
        state,
        name,
        mapRows(rows, (row) => without(row, ["c"])),
      );
    });
    if (answer.status !== 200 && !isAbsent) return;
    const c = [this.random.below(9), `c${this.random.below(9)}`, true][this.random.below(3)];
    const ids = [0, 1, 2].map(() => this.random.below(IDS));
    const body = { upsert_rows: [...new Set(ids)].map((id) => ({ id, c })) };
    const used = await this.engine.call("write", name, body);
    this.settle(used, (state) => afterWrite(state, name, body));
  }

  /** Keeps the states that fit an answer. */
  settle(answer: Answer, effect: Effect): void {
    const fitting = this.possible.flatMap((state) => this.statesAfter(state, answer, effect));
    expect(fitting.length, textOf(answer)).toBeGreaterThan(0);
    this.possible = fitting;
  }

  /** Keeps the states that fit the answers in some order. */
  settleInAnyOrder(sent: readonly { readonly answer: Answer; readonly effect: Effect }[]): void {
    const all = 2 ** sent.length - 1;
    // By the set of those that had their effect, as bits.
    const reached = Array.from({ length: all + 1 }, (): State[] => []);
    reached[0] = [...this.possible];
    for (let done = 0; done < all; done++) {
      const states = distinct(reached[done]);
      sent.forEach(({ answer, effect }, i) => {
        if ((done >> i) % 2 === 1) return;
        reached[done | (1 << i)].push(
          ...states.flatMap((state) => this.statesAfter(state, answer, effect)),
        );
      });
    }
    const texts = sent.map(({ answer }) => textOf(answer)).join("\n");
    expect(reached[all].length, texts).toBeGreaterThan(0);
    this.possible = distinct(reached[all]);
  }

  /** None if the answer does not fit. After 503 the request may have had its effect. */
  statesAfter(state: State, { status }: Answer, effect: Effect): State[] {
    const next = effect(state);
    if (status === 503 && this.faulty) return typeof next === "number" ? [state] : [state, next];
    if (typeof next === "number") return next === status ? [state] : [];
    return status === 200 ? [next] : [];
  }

  /** What is published is one of the possible states, and from now on the only one. */
  async check(names: readonly string[]): Promise<void> {
    for (const name of names) {
      let rows: Row[] | undefined;
      try {
        rows = await this.engine.rows(name);
      } catch (error) {
        if (this.faulty && String(error).includes("503")) continue;
        throw error;
      }
      const found = rows?.map(clean);
      const fitting = this.possible.filter((state) => same(state.get(name), found));
      if (fitting.length === 0) {
        const expected = this.possible.map((state) => sorted(state.get(name)));
        expect(found, name).toEqual(expected[0]);
      }
      this.possible = distinct(fitting);
    }
  }

  /** A full-text answer, which must not depend on how documents are stored. */
  async probe(name: string): Promise<string | undefined> {
    const { status, json } = await this.engine.call("query", name, {
      rank_by: ["t", "BM25", "red fox sun"],
      limit: 100,
      include_attributes: ["a"],
    });
    return status === 200 ? JSON.stringify(json.rows) : undefined;
  }
}

function textOf({ status, json }: Answer): string {
  return `${status}: ${JSON.stringify(json)}`;
}

/** There is nothing to drop in a namespace that does not exist. */
function afterWrite(state: State, name: string, body: Body): State | number {
  if (!state.has(name) && droppedBy(body).length > 0) return 400;
  return withRows(state, name, written(state.get(name), body));
}

function mapRows(rows: Documents, change: (row: Row) => Row): Documents {
  return new Map([...rows].map(([id, row]) => [id, change(row)]));
}

function withRows(state: State, name: string, rows: Documents | undefined): State {
  const next = new Map(state);
  if (rows === undefined) next.delete(name);
  else next.set(name, rows);
  return next;
}

function distinct(states: readonly State[]): State[] {
  const text = (state: State) =>
    JSON.stringify(NAMES.map((name) => canonical(sorted(state.get(name)))));
  return [...new Map(states.map((state) => [text(state), state])).values()];
}

function canonical(rows: Row[] | undefined): string | undefined {
  return rows?.map((row) => JSON.stringify(Object.entries(row).sort())).join();
}

function sorted(documents: Documents | undefined): Row[] | undefined {
  return documents && [...documents.values()].sort((x, y) => Number(x.id) - Number(y.id));
}

function same(documents: Documents | undefined, found: Row[] | undefined): boolean {
  return canonical(sorted(documents)) === canonical(found);
}

const SEED_COUNT = effort({ usual: 1, full: 6 });

async function runHistory(seed: number, faulty: boolean, steps: number): Promise<void> {
  const history = new History(seed, faulty);
  await history.open();
  for (let step = 0; step < steps; step++) {
    await history.step();
    await history.check([NAMES[step % NAMES.length]]);
    if (history.possible.length > 16) await history.check(NAMES);
  }
  await history.restart("close");
  await history.check(NAMES);
  const probes = await Promise.all(NAMES.map((name) => history.probe(name)));
  await history.restart("close");
  await history.check(NAMES);
  expect(await Promise.all(NAMES.map((name) => history.probe(name)))).toEqual(probes);
  await checkMemory(history);
}

/** When all namespaces are gone their memory is, too. */
async function checkMemory({ engine }: History): Promise<void> {
  for (const name of NAMES) await engine.call("delete_namespace", name);
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(engine.arenas.usedBytes).toBe(0);
}

test.each([1, 2, 3, 4, 5, 6].slice(0, SEED_COUNT))(
  "a random history equals the model (seed %i)",
  async (seed) => {
    await runHistory(seed, false, effort({ usual: 80, full: 250 }));
  },
);

test.each([11, 12, 13, 14, 15, 16].slice(0, SEED_COUNT))(
  "a random history over a store that fails equals the model (seed %i)",
  async (seed) => {
    await runHistory(seed, true, effort({ usual: 60, full: 200 }));
  },
);
