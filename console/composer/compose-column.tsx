/** The side of a screen on which its query is composed, and kept in the page's address. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { currentRoute, setParameters } from "../state/route.ts";
import { keepQuery } from "./kept-draft.ts";
import { QueryBuilder } from "./query-builder.tsx";
import type { QueryDraft, TextFault } from "./query-draft.ts";
import { RequestPanel, requestView } from "./request-panel.tsx";

/** What the column has. */
export interface ComposeColumnProps {
  readonly namespace: string;
  readonly draft: QueryDraft;
  /** Of the server's last answer, if it was about this text. */
  readonly serverFault: TextFault | undefined;
  readonly onRun: () => void;
  /** Why there is no builder: the schema is not known. */
  readonly hiddenReason?: string | undefined;
}

/** See the file's head. */
export function ComposeColumn(props: ComposeColumnProps): JSX.Element {
  const { namespace, draft, serverFault, onRun, hiddenReason } = props;
  const [isKept, setKept] = useState(true);
  const text = draft.text.value;
  const isWhole = draft.problems.value.size === 0;
  useEffect(() => {
    if (isWhole) setKept(keepQuery(namespace, text));
  }, [text, isWhole]);
  return (
    <div class="query-compose">
      {hiddenReason === undefined ? (
        <QueryBuilder draft={draft} />
      ) : (
        <p class="note">The schema is not known, so that there are no controls: {hiddenReason}</p>
      )}
      <RequestPanel
        draft={draft}
        place={{ baseUrl: location.origin, namespace }}
        view={requestView(currentRoute.value.parameters.get("as"))}
        onView={(view) =>
          setParameters({ as: view === "json" ? undefined : view }, { replace: true })
        }
        serverFault={serverFault}
        onRun={onRun}
      />
      {!isKept && (
        <p class="composer-note">This query is too long for an address: a link lacks it.</p>
      )}
    </div>
  );
}
