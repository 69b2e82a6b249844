/** Which segments have positions. */
export interface PositionExtent {
  /** Documents of the smallest one; infinite: none has any. */
  readonly documentsMin: number;
}

/**
 * So many stored texts are analyzed in half a millisecond. Segments of single documents, which are
 * made and merged all the time, go without (ADR 60).
 */
export const POSITIONS: PositionExtent = { documentsMin: 128 };
