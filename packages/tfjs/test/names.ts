/** The tfjs backends under test: RLVR_TEST_TFJS replaces the list, such as `webgpu` or `tensorflow`. */
export const TFJS_NAMES = (process.env.RLVR_TEST_TFJS ?? 'wasm').split(',');
