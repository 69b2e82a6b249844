/** Results as cards: what matched is marked. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { QueryDraft } from "../../composer/query-draft.ts";
import type { JsonMembers } from "../../query/json-value.ts";
import { Button } from "../../ui/button.tsx";
import { fragmentsOf, type ShownResult, type TextPiece, valueSummary } from "./answer-model.ts";
import { MoreLikeThis } from "./more-like-this.tsx";

/** Cards that are in the page at first, and that each further step adds. */
const CARDS_STEP = 50;

/** See the file's head. */
export function ResultCards(props: {
  readonly result: ShownResult;
  readonly draft: QueryDraft;
}): JSX.Element {
  const { result, draft } = props;
  const [count, setCount] = useState(CARDS_STEP);
  return (
    <>
      <ol class="cards">
        {result.rows.slice(0, count).map((row, i) => (
          <li class="card" key={i}>
            <Card row={row} columns={result.columns} rank={i + 1} draft={draft} />
          </li>
        ))}
      </ol>
      {count < result.rows.length && (
        <Button onClick={() => setCount(count + CARDS_STEP)}>Show more</Button>
      )}
    </>
  );
}

interface CardProps {
  readonly row: JsonMembers;
  readonly columns: readonly string[];
  readonly rank: number;
  readonly draft: QueryDraft;
}

function Card({ row, columns, rank, draft }: CardProps): JSX.Element {
  const names = columns.filter(
    (name) =>
      !["id", "$dist"].includes(name) && !name.startsWith("highlight_") && row[name] != null,
  );
  return (
    <article aria-label={`Result ${rank}`}>
      <header class="card-head">
        <span class="card-rank">{rank}</span>
        {row.id !== undefined && <code>{String(row.id)}</code>}
        {row.$dist != null && <span class="card-score">{String(row.$dist)}</span>}
        <span class="screen-space" />
        <MoreLikeThis row={row} draft={draft} />
      </header>
      <dl class="card-values">
        {names.map((name) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Value row={row} name={name} />
            </dd>
          </div>
        ))}
      </dl>
    </article>
  );
}

function Value({ row, name }: { readonly row: JsonMembers; readonly name: string }): JSX.Element {
  const fragments = fragmentsOf(row, name);
  if (fragments === undefined) return <>{valueSummary(row[name])}</>;
  return (
    <>
      {fragments.map((pieces, i) => (
        <p key={i} class="fragment">
          <Pieces pieces={pieces} />
        </p>
      ))}
    </>
  );
}

function Pieces({ pieces }: { readonly pieces: readonly TextPiece[] }): JSX.Element {
  return (
    <>
      {pieces.map(({ text, isMatch }, i) =>
        isMatch ? <mark key={i}>{text}</mark> : <span key={i}>{text}</span>,
      )}
    </>
  );
}
