import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { countedText } from "../../../src/base/amount-text.ts";
import type { RejectedRowView } from "./import-messages.ts";

/** Rows that were not imported: the first ones, and all of them to be saved. */
export function RejectedRows(props: {
  readonly first: readonly RejectedRowView[];
  readonly count: number;
  /** All of them; undefined while the import runs. */
  readonly all: Blob | undefined;
}): JSX.Element {
  const { first, count, all } = props;
  const [address, setAddress] = useState<string | undefined>(undefined);
  useEffect(() => {
    if (all === undefined) return;
    const made = URL.createObjectURL(all);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [all]);
  return (
    <section class="rejected" aria-labelledby="rejected-title">
      <div class="screen-head">
        <h2 id="rejected-title">{countedText(count, "rejected row")}</h2>
        {all !== undefined && address !== undefined && (
          <a class="button" href={address} download="rejected.jsonl">
            Download rejected rows
          </a>
        )}
      </div>
      {count > first.length && (
        <p class="muted">The first {first.length} are shown; the file has all of them.</p>
      )}
      <div class="rejected-scroller" tabIndex={0} role="region" aria-label="Rejected rows">
        <table class="schema">
          <thead>
            <tr>
              <th scope="col">Row</th>
              <th scope="col">What is wrong</th>
            </tr>
          </thead>
          <tbody>
            {first.map(({ file, line, error }) => (
              <tr key={`${file}:${line}`}>
                <td>
                  <code>
                    {file}:{line}
                  </code>
                </td>
                <td>{error}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
