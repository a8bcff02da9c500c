import { expect, it } from 'vitest';
import { readComplex } from '../../parsing/complex_number.ts';

it.each(
  /* biome-ignore format: a list */ [
    ['3+2i', 3, 2], ['2i+3', 3, 2], ['-3 - 2i', -3, -2], ['3', 3, 0], ['-i', 0, -1], ['+i', 0, 1], ['3+i', 3, 1],
    ['i-3', -3, 1], ['3.50-0.25i', 3.5, -0.25], [' 3\u22122i\n', 3, -2], ['0', 0, 0], ['0i', 0, 0],
    ['\\boxed{3 - 2i}', 3, -2], ['$i$', 0, 1],
  ],
)('%s is %d and %d i', (text, real, imaginary) => {
  const reading = readComplex(text);
  expect(reading.ok && [reading.real.valueOf(), reading.imaginary.valueOf()]).toEqual([real, imaginary]);
});

it.each(
  /* biome-ignore format: a list */ [
    '', '+', 'ii', '3+2', '3i+2i', '3+2i+1', '3++2i', '3+-2i', '3+2 i', '3 2i', '0 -8i', '3- 2i', '3.+2i', '3+.i',
    '3+2j', 'i3', '1/2+i', '3+\uff12i', `${'1'.repeat(256)}i`,
  ],
)('%s is no complex number', (text) => {
  expect(readComplex(text).ok).toBe(false);
});
