/** Bounds of clusters of vectors, and of searches through them, with their origins. */

/**
 * Rows of a cluster of vectors, about. Smaller ones let a search look at fewer rows (for a recall
 * of 0.95 on 60,000 images of 784 dimensions: 600 rows with clusters of 64, 1,200 with 256, 1,800
 * with 512, 2,400 with 1,024), but cost more centroids to compare, and are read in more pieces.
 */
export const CLUSTER_ROWS = 512;
/**
 * Vectors from which on a stored segment's rows are put in the order of clusters: below, a search
 * looks at most of the clusters anyway.
 */
export const CLUSTERED_ROWS_MIN = 8_192;
/**
 * Matching documents up to which an ANN search looks at all of them, and of more at this many. With
 * sizes divided by 16 (clusters of 32 rows) a recall of 0.95 took 700 rows of 9,300 texts of 1,536
 * dimensions, and 750 of 5,000 descriptors of 128; a recall of 0.98 twice as many.
 */
export const PROBE_EXACT_MATCHES_MAX = 24_000;
/**
 * Matching documents that an ANN search looks at, times the root of how many match in each segment:
 * 49,000 of a million in six segments. The rows above grew with the root of all rows, or less.
 */
export const PROBE_MATCHES_PER_ROOT = 20;
/** Matching documents that an ANN search looks at for each one that is asked for. */
export const PROBE_MATCHES_PER_RESULT = 20;
/** Rows of the sample that centroids are trained on, for each cluster. */
export const CLUSTER_SAMPLE_ROWS = 64;
