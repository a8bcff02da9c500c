/** The adapters that the tests of this folder must run on, `hardware` among them where it is named; one that is missing fails them. */
export const REQUIRED_ADAPTERS = (process.env.RLVR_TEST_ADAPTERS ?? 'lavapipe,swiftshader').split(',');
