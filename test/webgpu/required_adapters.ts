/** The software adapters that the tests of this folder must run on; one that is missing fails them. */
export const REQUIRED_ADAPTERS = (process.env.RLVR_TEST_ADAPTERS ?? 'lavapipe,swiftshader').split(',');
