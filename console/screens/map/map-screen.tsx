/** The screen that shows the vectors of a namespace as points of a plane. */

import type { JSX } from "preact";
import { currentRoute } from "../../state/route.ts";
import { useMetadata } from "../../state/use-metadata.ts";
import { MetadataNote } from "../../ui/metadata-note.tsx";
import { EmptyState } from "../../ui/notes.tsx";
import { mapChoices } from "./map-choices.ts";
import "./map.css";
import { VectorMap } from "./vector-map.tsx";

/** A map of vectors. */
export function MapScreen(): JSX.Element {
  const namespace = currentRoute.value.namespace ?? "";
  const metadata = useMetadata(namespace);
  const choices = metadata.value && mapChoices(metadata.value);
  if (choices !== undefined && choices.vectors.length > 0) {
    return <VectorMap namespace={namespace} choices={choices} />;
  }
  return (
    <>
      <h1>Map</h1>
      {choices === undefined ? (
        <MetadataNote metadata={metadata} />
      ) : (
        <NoVectors namespace={namespace} />
      )}
    </>
  );
}

function NoVectors({ namespace }: { readonly namespace: string }): JSX.Element {
  return (
    <EmptyState
      title="There are no vectors to draw"
      action={<a href="/console/import">Import documents</a>}
    >
      {namespace} has no vector attribute. Documents with one, or with an attribute that the server
      embeds, can be drawn as a map.
    </EmptyState>
  );
}
