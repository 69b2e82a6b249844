/** `Buffer` in the files that are shared with `trawl import`: the build puts a package in its place. */
declare const Buffer: typeof import("buffer").Buffer;
