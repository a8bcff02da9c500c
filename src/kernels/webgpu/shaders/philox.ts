/**
 * Philox4x32-10 in WGSL; the TypeScript original and its source: ../philox.ts. WGSL has no 64-bit product: the high
 * word comes from 16-bit halves.
 */
export const PHILOX = /* wgsl */ `
fn multiply_high(a: u32, b: u32) -> u32 {
  let a_low = a & 0xffffu;
  let a_high = a >> 16u;
  let b_low = b & 0xffffu;
  let b_high = b >> 16u;
  let middle = a_high * b_low + ((a_low * b_low) >> 16u);
  let carry = a_low * b_high + (middle & 0xffffu);
  return a_high * b_high + (middle >> 16u) + (carry >> 16u);
}

// The first word of the block at this counter.
fn philox(counter: vec4u, key: vec2u) -> u32 {
  var c = counter;
  var k = key;
  for (var round = 0u; round < 10u; round++) {
    c = vec4u(
      multiply_high(0xcd9e8d57u, c.z) ^ c.y ^ k.x,
      0xcd9e8d57u * c.z,
      multiply_high(0xd2511f53u, c.x) ^ c.w ^ k.y,
      0xd2511f53u * c.x,
    );
    k += vec2u(0x9e3779b9u, 0xbb67ae85u);
  }
  return c.x;
}`;
