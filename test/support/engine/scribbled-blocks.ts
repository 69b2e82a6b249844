import { BlockPool } from "../../../src/base/block-pool.ts";

/** Small enough for the vectors of tests. */
const TEST_BLOCK_BYTES_MIN = 64;

/** Blocks that are overwritten when they are given back, so that who still reads them shows. */
export class ScribbledBlocks extends BlockPool {
  constructor() {
    super(TEST_BLOCK_BYTES_MIN);
  }

  override giveBack(block: SharedArrayBuffer): void {
    new Uint8Array(block).fill(0xa5);
    super.giveBack(block);
  }
}
