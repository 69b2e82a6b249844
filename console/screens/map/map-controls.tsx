/** What a map is made of: vectors, how many, which documents, colours, and what the pointer does. */

import type { JSX } from "preact";
import { setParameters } from "../../state/route.ts";
import { useDraft } from "../../state/use-draft.ts";
import { Button } from "../../ui/button.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import {
  type MapAddress,
  ofOtherPoints,
  POINTS_OFFERED,
  readFilter,
  UMAP_POINTS_MAX,
} from "./address/map-address.ts";
import { isOfColor } from "./address/selection-address.ts";
import { type MapChoices, typedId } from "./map-choices.ts";
import { pointsThatFit } from "./projection/load-sample.ts";

/** See the file's head. */
export function MapControls(props: {
  readonly address: MapAddress;
  readonly choices: MapChoices;
  readonly onReload: () => void;
}): JSX.Element {
  const { address, choices, onReload } = props;
  const { mode } = address;
  return (
    <>
      <div class="bar">
        <SelectField
          label="Vectors"
          value={address.vector.attribute}
          choices={choices.vectors.map(({ attribute, dims }) => ({
            value: attribute,
            text: `${attribute} (${dims} dimensions)`,
          }))}
          onSelect={(vector) => setParameters(ofOtherPoints({ vector }))}
        />
        <SelectField
          label="Points"
          value={String(address.wanted)}
          choices={pointChoices(address)}
          onSelect={(points) => setParameters(ofOtherPoints({ points }))}
        />
        <SelectField
          label="Drawn by"
          value={address.method}
          choices={[
            { value: "pca", text: "PCA (at once)" },
            { value: "umap", text: "UMAP (takes a while)" },
          ]}
          onSelect={(by) => setParameters({ by: by === "pca" ? undefined : by, view: undefined })}
        />
        <SelectField
          label="Colour by"
          value={address.color ?? ""}
          choices={[
            { value: "", text: "nothing" },
            ...choices.colors.map((value) => ({ value, text: value })),
          ]}
          onSelect={(color) => setParameters({ color, ...withoutColors(address) })}
        />
        <div class="button-group" role="group" aria-label="Dragging the pointer">
          <Button
            isPressed={mode === "move"}
            onClick={() => setParameters({ drag: undefined }, { replace: true })}
          >
            Moves
          </Button>
          <Button
            isPressed={mode === "lasso"}
            onClick={() => setParameters({ drag: "lasso" }, { replace: true })}
          >
            Selects (lasso)
          </Button>
        </div>
        <Button onClick={onReload}>Draw again</Button>
      </div>
      <FilterBar address={address} choices={choices} />
    </>
  );
}

/** What a selection by colour says means nothing under other colours. */
function withoutColors({ selected }: MapAddress) {
  return isOfColor(selected) ? { selected: undefined } : {};
}

/** Numbers of points, as far as memory holds the vectors and the method does not take too long. */
function pointChoices({ vector, method }: MapAddress) {
  const fits = pointsThatFit(vector.dims);
  return POINTS_OFFERED.filter((count) => method === "pca" || count <= UMAP_POINTS_MAX).map(
    (count) => ({
      value: String(count),
      text: count <= fits ? `up to ${count}` : `up to ${fits}, what memory holds`,
    }),
  );
}

function FilterBar(props: {
  readonly address: MapAddress;
  readonly choices: MapChoices;
}): JSX.Element {
  const { address, choices } = props;
  const { vector, near, filter } = address;
  const nearId = near?.kind === "document" ? String(near.id) : "";
  const words = near?.kind === "words" ? near.text : "";
  const [draft, setDraft] = useDraft({ filter: filter.text, nearId, words });
  const filterFault = readFilter(draft.filter).fault;
  const idFault =
    draft.nearId.trim() !== "" && typedId(draft.nearId, choices.idType) === undefined
      ? "ids of this namespace are whole numbers"
      : undefined;
  return (
    <form
      class="bar map-query"
      onSubmit={(event) => {
        event.preventDefault();
        if (filterFault !== undefined || idFault !== undefined) return;
        const { filter: written, nearId: id, words: text } = draft;
        const other = { filter: written.trim(), near: id.trim(), words: text.trim() };
        setParameters(other.filter === filter.text ? other : ofOtherPoints(other));
      }}
    >
      <TextField
        label="Filter"
        isCode
        value={draft.filter}
        placeholder='all documents, or as in ["year", "Gte", 1990]'
        error={filterFault}
        onInput={(value) => setDraft({ ...draft, filter: value })}
      />
      <TextField
        label="Neighbours of document (id)"
        value={draft.nearId}
        placeholder="or click a point"
        error={idFault}
        onInput={(value) => setDraft({ ...draft, nearId: value })}
      />
      {vector.embeds !== undefined && (
        <TextField
          label="Neighbours of words"
          value={draft.words}
          onInput={(value) => setDraft({ ...draft, words: value, nearId: "" })}
        />
      )}
      <Button type="submit" look="primary">
        Show
      </Button>
    </form>
  );
}
