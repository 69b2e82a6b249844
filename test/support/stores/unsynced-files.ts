import { type FileSystem, systemFiles } from "../../../src/storage/directory/file-system.ts";

/**
 * The system's files, but syncs do nothing: for tests in which no process ends, since a sync takes
 * milliseconds on a busy disk.
 */
export const unsyncedFiles: FileSystem = {
  ...systemFiles,
  open: async (...words: Parameters<typeof systemFiles.open>) => {
    const handle = await systemFiles.open(...words);
    return Object.assign(handle, { sync: async () => {} });
  },
};
