import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";

/** What may be chosen; what a file is, its bytes tell. */
const ENDINGS =
  ".jsonl,.ndjson,.json,.csv,.tsv,.tab,.parquet,.arrow,.arrows,.feather,.ipc,.gz,.zst";

/** A place that files are dropped on, or chosen by a button. */
export function FileDrop(props: {
  readonly onFiles: (files: readonly File[]) => void;
  /** Why files are not taken now. */
  readonly denied: string | undefined;
}): JSX.Element {
  const { onFiles, denied } = props;
  const [isOver, setOver] = useState(false);
  const id = useId();
  const take = (list: FileList | null | undefined) => {
    if (denied === undefined && list && list.length > 0) onFiles([...list]);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same by keys
    <div
      class={isOver ? "file-drop file-drop-over" : "file-drop"}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer?.files);
      }}
    >
      <input
        id={id}
        type="file"
        class="visually-hidden"
        multiple
        accept={ENDINGS}
        disabled={denied !== undefined}
        onChange={(event) => {
          take(event.currentTarget.files);
          // The same file may be chosen again, once it was mended.
          event.currentTarget.value = "";
        }}
      />
      <label for={id} class="button button-primary">
        Choose files
      </label>
      <p class="muted">
        {denied ??
          "or drop them here: CSV, TSV, JSON Lines, Parquet, Arrow, also packed with gzip or zstd."}
      </p>
    </div>
  );
}
