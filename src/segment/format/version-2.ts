import { layoutOfVersion } from "./version-1.ts";

/**
 * Format version 2: the layout of version 1, in which posting lists are in sections (48 to 51) that
 * programs of version 1 do not know: to them the index would be missing;
 * and in which some sections lie in the head.
 */
export const VERSION_2 = layoutOfVersion(2);
