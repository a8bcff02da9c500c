// Philox4x32-10, the counter-based generator of src/kernels/philox.ts. Salmon et al., SC 2011.

/** First output word for counter (c0, c1, c2, c3) and key (k0, k1). */
export function philoxWord(c0: u32, c1: u32, c2: u32, c3: u32, k0: u32, k1: u32): u32 {
  for (let round = 0; round < 10; round++) {
    const low = <u64>0xd2511f53 * <u64>c0;
    const high = <u64>0xcd9e8d57 * <u64>c2;
    c0 = <u32>(high >> 32) ^ c1 ^ k0;
    c1 = <u32>high;
    c2 = <u32>(low >> 32) ^ c3 ^ k1;
    c3 = <u32>low;
    k0 += 0x9e3779b9;
    k1 += 0xbb67ae85;
  }
  return c0;
}
