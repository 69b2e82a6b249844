/** The facets beside the table: what there is of each attribute, and how many documents have it. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { countText } from "../../../src/base/amount-text.ts";
import { queryDocuments } from "../../api/documents.ts";
import { stringifyExact } from "../../api/exact-json.ts";
import type { AttributeMetadata } from "../../api/namespaces.ts";
import { useRequest } from "../../state/use-request.ts";
import { ErrorNote, Spinner } from "../../ui/notes.tsx";
import { type Condition, toggleCondition } from "./document-filters.ts";
import { FACET_GROUPS_MAX, type Facet, facetQuery, facetsOf, hasFacets } from "./facet-groups.ts";

/** Up to here the facets lie above the table. */
const NARROW_PX = 800;

/** What facets are of. */
export interface FacetPanelProps {
  readonly namespace: string;
  readonly schema: Readonly<Record<string, AttributeMetadata>>;
  readonly conditions: readonly Condition[];
  readonly onConditions: (conditions: readonly Condition[]) => void;
}

/** One part for each attribute that has facets, counted when it is opened. */
export function FacetPanel(props: FacetPanelProps): JSX.Element {
  const names = Object.keys(props.schema).filter(
    (name) => name !== "id" && hasFacets(props.schema[name]),
  );
  // Where there is little room the table goes first.
  const [isOpen, setOpen] = useState(innerWidth > NARROW_PX);
  return (
    <aside class="facets" aria-label="Facets">
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary class="facets-title">Facets</summary>
        {names.length === 0 && <p class="muted">No attribute of this namespace is filterable.</p>}
        {names.map((name) => (
          <FacetPart key={name} name={name} {...props} />
        ))}
      </details>
    </aside>
  );
}

function FacetPart(props: FacetPanelProps & { readonly name: string }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{props.name}</summary>
      {isOpen && <FacetValues {...props} />}
    </details>
  );
}

function FacetValues(props: FacetPanelProps & { readonly name: string }): JSX.Element {
  const { namespace, name, schema, conditions, onConditions } = props;
  const attribute = schema[name];
  // What is chosen of the attribute itself must not hide what else there is of it.
  const others = conditions.filter(([of]) => of !== name);
  const { value, fault, reload } = useRequest(
    async (api, signal) => {
      const body = facetQuery(name, attribute, others);
      const answer = await queryDocuments(api, { namespace, body, signal });
      return facetsOf(name, attribute, answer.value.aggregation_groups ?? []);
    },
    [namespace, name, stringifyExact(others)],
  );
  if (fault !== undefined) return <ErrorNote fault={fault} onRetry={reload} />;
  if (value === undefined) return <Spinner label={`Counting ${name}`} />;
  const chosen = new Set(conditions.map((condition) => stringifyExact(condition)));
  return (
    <>
      <ul class="facet-values">
        {value.facets.map((facet) => {
          const key = stringifyExact(facet.condition);
          return (
            <li key={key}>
              <button
                type="button"
                class="facet"
                aria-pressed={chosen.has(key)}
                onClick={() => onConditions(toggleCondition(conditions, facet.condition))}
              >
                <span class="facet-value">{facetText(facet)}</span>
                <span class="facet-count">{countText(facet.count)}</span>
              </button>
            </li>
          );
        })}
      </ul>
      {value.facets.length === 0 && <p class="muted">No document has one.</p>}
      {value.moreCount > 0 && (
        <p class="muted">
          {`and ${countText(value.moreCount)} more`}
          {value.isCut && `, of the first ${countText(FACET_GROUPS_MAX)} values`}
        </p>
      )}
    </>
  );
}

function facetText({ value }: Facet): string {
  if (value === null) return "none";
  const text = typeof value === "string" ? value : stringifyExact(value);
  return text === "" ? '""' : text;
}
