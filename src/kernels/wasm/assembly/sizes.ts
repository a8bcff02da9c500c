// Sizes that decide how much memory a kernel writes: the kernels count by them and layout.ts plans by them. Read by both
// languages, so that neither can plan for less than the other writes.

/** Rows of a strip, the packed left side of a product. */
export const STRIP_ROWS = 6;
/** Columns of a panel, the packed right side, in builds for 128 and for 256 bits. A plan has room for the wide one. */
export const NARROW_PANEL = 8;
export const WIDE_PANEL = 16;
/** Bytes for a tile by itself: STRIP_ROWS × WIDE_PANEL floats, at the start of a thread's strips. */
export const TILE_BYTES = 512;
/** Strips that are packed side by side, where a row has at most that many floats; longer ones are packed alone. */
export const STRIPS_TOGETHER = 4;
export const LONGEST_TOGETHER = 4096;
/**
 * Forms in which a matrix is: packed panels, or stored as one of these types (stored.ts), whose rows are columns of a
 * product's right side, or with STORED_BY_INPUT rows of it.
 */
export const PACKED = 0;
export const BF16 = 1;
export const F16 = 2;
export const Q8_0 = 3;
export const Q4_0 = 4;
export const Q4_1 = 5;
export const Q5_0 = 6;
export const Q5_1 = 7;
export const Q4_K = 8;
export const Q5_K = 9;
export const Q6_K = 10;
export const STORED_BY_INPUT = 16;
/** Strips that share a panel of a stored matrix, and how long a sum is taken at a time: whole blocks. */
export const STORED_STRIPS = 16;
export const STORED_LENGTH = 1536;
/** Rows of a stored matrix that become columns of a panel together. */
export const STORED_COLUMNS = 4;
/** Rows that are packed at a time for a weight gradient: a strip and a panel of them stay in the first-level cache. */
export const GRADIENT_ROWS = 256;
/** Rows whose dz is in shared space at a time. */
export const CHUNK_ROWS = 512;
/** Rows that attention's backward takes together: six strips. */
export const BLOCK_ROWS = 36;

/** Bins of weights in the sampler's filters, by the leading 12 bits of a number from 0 to 1; each a sum and a count. */
export const SAMPLE_BINS = 1024;
export const SAMPLE_BIN_BYTES = 16;

/** Words of the job block: number of the job and of the finished one, count of programs, and the list of them. */
export const JOB_NUMBER = 0;
export const JOB_FINISHED = 16;
export const JOB_PROGRAMS = 32;
export const JOB_LIST = 33;
/** Bytes of the control block: four words, each in a cache line of its own. */
export const CONTROL_BYTES = 256;
