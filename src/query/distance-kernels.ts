export type DistanceKernels = unknown;
