/** Both rankings of a query beside each other, with the moves between them, to be graded. */

import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { systemClock } from "../../../src/base/clock.ts";
import type { DocumentRow } from "../../api/documents.ts";
import { type RequestState, useRequest } from "../../state/use-request.ts";
import { ErrorNote, Spinner } from "../../ui/notes.tsx";
import type { JudgmentStore } from "./judgment-store.ts";
import { MeasureWords } from "./measure-words.tsx";
import type { NamespaceChoices } from "./namespace-choices.ts";
import { moveSign, moveText, overlapOf, type RankMove, rankMoves } from "./rank-moves.ts";
import { RankedItem } from "./ranked-item.tsx";
import type { RankingForm } from "./ranking-form.ts";
import { judgedOf, measuresOf } from "./ranking-measures.ts";
import { idsOf, runRanking } from "./run-ranking.ts";
import { findQuery, gradesOf, type QueryInput, withGrade } from "./saved-judgments.ts";

/** Height of a document in a list, in CSS pixels; the stylesheet has it, too. */
const ITEM_PX = 62;
const LINES_PX = 64;
/** Between two letters of a form; a ranking is asked for when it rests. */
const TYPED_MS = 150;

/** What the lists are of. */
interface RankedListsProps {
  readonly namespace: string;
  readonly choices: NamespaceChoices;
  readonly a: RankingForm;
  readonly b: RankingForm;
  readonly query: QueryInput;
  readonly limit: number;
  readonly store: JudgmentStore;
}

/** Documents of a ranking, and the query that found them: the next one may be asked by now. */
interface Found {
  readonly query: QueryInput;
  readonly rows: readonly DocumentRow[];
}

/** See the file's head. */
export function RankedLists(props: RankedListsProps): JSX.Element {
  const a = useRanking(props, props.a);
  const b = useRanking(props, props.b);
  const left = idsOf(shownRows(a));
  const right = idsOf(shownRows(b));
  const moves = rankMoves(left, right);
  const inCommon = Math.round(overlapOf(left, right) * 100);
  return (
    <section class="results" aria-label="Results">
      <p class="muted" role="status">
        {a.isLoading || b.isLoading
          ? "Asking both rankings"
          : `${left.length} and ${right.length} documents, ${inCommon} % in common. In a list, ` +
            "arrow keys go from document to document, 0 to 3 grade, Backspace takes a grade back."}
      </p>
      <div class="lists">
        <RankedList {...props} name="A" ranking={a} moves={moves} />
        <MoveLines moves={moves} count={Math.max(left.length, right.length)} />
        <RankedList {...props} name="B" ranking={b} moves={moves} />
      </div>
    </section>
  );
}

/** Nothing of a ranking that has failed: what was there before is not its answer. */
function shownRows({ value, fault }: RequestState<Found>) {
  return fault === undefined ? (value?.rows ?? []) : [];
}

function useRanking(
  { namespace, choices, query, limit }: RankedListsProps,
  form: RankingForm,
): RequestState<Found> {
  return useRequest(
    async (api, signal) => {
      await systemClock.sleep(TYPED_MS, signal);
      const place = { api, namespace, signal, vectors: choices.vectors };
      const shown = { limit, attributes: choices.shown };
      return { query, rows: await runRanking(place, form, query, shown) };
    },
    [namespace, JSON.stringify(form), query.text, query.like, limit],
  );
}

/** Lines from each document's place in A to its place in B; the lists say the same in words. */
function MoveLines(props: {
  readonly moves: readonly RankMove[];
  readonly count: number;
}): JSX.Element {
  const height = props.count * ITEM_PX;
  const middleOf = (rank: number) => (rank - 0.5) * ITEM_PX;
  return (
    <svg
      class="moves"
      aria-hidden="true"
      width={LINES_PX}
      height={height}
      viewBox={`0 0 ${LINES_PX} ${height}`}
    >
      {props.moves.map(({ id, left, right }) => {
        if (left === undefined || right === undefined) return undefined;
        const [from, to] = [middleOf(left), middleOf(right)];
        const bend = LINES_PX / 2;
        const direction = right < left ? "up" : right > left ? "down" : "same";
        return (
          <path
            key={id}
            class={`move move-${direction}`}
            d={`M2 ${from} C${bend} ${from} ${bend} ${to} ${LINES_PX - 2} ${to}`}
          />
        );
      })}
    </svg>
  );
}

function RankedList(
  props: RankedListsProps & {
    readonly name: "A" | "B";
    readonly ranking: RequestState<Found>;
    readonly moves: readonly RankMove[];
  },
): JSX.Element {
  const { name, ranking, moves, choices, store } = props;
  const { query } = ranking.value ?? props;
  const list = useRef<HTMLOListElement>(null);
  const rows = shownRows(ranking);
  const saved = findQuery(store.saved, query);
  const grades = gradesOf(saved);
  const ids = idsOf(rows);
  const moveOf = new Map(moves.map((move) => [move.id, move]));
  const focusItem = (index: number) => {
    const item = list.current?.children[index];
    if (item instanceof HTMLElement) item.focus();
  };
  return (
    <div class="ranked">
      <h3>
        Ranking {name}
        {grades.size > 0 && rows.length > 0 && (
          <MeasureWords measures={measuresOf(ids, grades)} judged={judgedOf(ids, grades, 10)} />
        )}
      </h3>
      {ranking.isLoading && rows.length === 0 && <Spinner label={`Asking ranking ${name}`} />}
      {ranking.fault !== undefined && <ErrorNote fault={ranking.fault} onRetry={ranking.reload} />}
      {!ranking.isLoading && ranking.fault === undefined && rows.length === 0 && (
        <p class="muted">Nothing is found.</p>
      )}
      <ol ref={list} class="ranked-list" aria-label={`Ranking ${name}`}>
        {rows.map((row, i) => {
          const id = String(row.id);
          const move = moveOf.get(id);
          return (
            <RankedItem
              key={id}
              row={row}
              rank={i + 1}
              shown={choices.shown}
              sign={move === undefined || name === "A" ? undefined : moveSign(move)}
              words={move === undefined ? "" : moveText(move)}
              grade={grades.get(id)}
              onGrade={(grade) =>
                store.change((before) => withGrade(before, query, { document: id, grade }))
              }
              onStep={(step) => focusItem(i + step)}
            />
          );
        })}
      </ol>
    </div>
  );
}
