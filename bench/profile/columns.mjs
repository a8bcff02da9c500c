// The table of a profile, in memory that all threads share: COLUMNS numbers for each command that memory has room for.
import { COMMAND_WORDS } from '../../build/src/kernels/wasm/assembly/command.js';

/** Bytes of a command where addresses have 32 bits. */
export const COMMAND_BYTES = 4 * COMMAND_WORDS;
/** Calls, milliseconds between barriers, milliseconds at barriers, rows, pairs of query and key. */
export const COLUMNS = 5;
export const [CALLS, WORK, WAIT, AMOUNT, PAIRS] = [0, 1, 2, 3, 4];
/** A command's index is its address over its size: the command area ends before 2 MiB. */
export const TABLE_COMMANDS = 16_384;
