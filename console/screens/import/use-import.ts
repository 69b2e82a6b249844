import { useEffect, useMemo } from "preact/hooks";
import type { ImportEvent } from "./import-messages.ts";
import { ImportThread, type StartImportWorker } from "./import-thread.ts";

/** The thread that imports for a component; its worker ends with the component. */
export function useImport(): ImportThread {
  const thread = useMemo(() => new ImportThread(startWorker), []);
  useEffect(() => () => thread.close(), [thread]);
  return thread;
}

const startWorker: StartImportWorker = ({ onEvent, onError }) => {
  const worker = new Worker(new URL("./import-worker.ts", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }: MessageEvent<ImportEvent>) => onEvent(data);
  worker.onerror = (event) => {
    event.preventDefault();
    // Where the code could not be loaded, the event is a plain one without a message.
    onError(event.message ?? "");
  };
  return worker;
};
