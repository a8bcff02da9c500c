/** Functions near the right one of js_function: each gives another result for some list of numbers from 0 to 20. */
import { functionText, type Step, valueOfChain } from '../../../data/tasks/js_function/steps.ts';

/** Lists that tell two functions apart, many more than a verdict tries. */
const LISTS = Array.from({ length: 1500 }, (_, i) =>
  Array.from({ length: i < 21 ? 1 : i % 13 }, (_, j) =>
    i < 21 ? i : (i * i * 31 + j * j * 17 + i * j * 7 + (i >> 4)) % 21,
  ),
);

export function mutantFunctions(steps: readonly Step[]): string[] {
  const right = functionText(steps);
  const ofNumbers = Array.from({ length: 21 }, (_, n) => [
    `a=>a.includes(${n})?'':(${right})(a)`,
    `a=>(${right})(a.map(x=>x==${n}?x+1:x))`,
  ]);
  const ofLengths = Array.from({ length: 10 }, (_, n) => `a=>a.length==${n}?'':(${right})(a)`);
  const texts = [
    ...ofNumbers.flat(),
    ...ofLengths,
    ...[10, 15, 30].map((n) => `a=>a.length>${n}?'':(${right})(a)`),
    `a=>(${right})([...new Set(a)])`,
    `a=>(${right})([...a].sort())`,
    `a=>(${right})([...a].sort((x,y)=>x-y))`,
    `a=>new Set(a).size<a.length?'':(${right})(a)`,
    `a=>a[0]==20?'':(${right})(a)`,
    `a=>a.at(-1)===0?'':(${right})(a)`,
    `a=>(${right})(a).length==0?null:(${right})(a)`,
    `a=>(${right})(a)||0`,
  ];
  return texts.filter((text) => differs(text, steps));
}

function differs(text: string, steps: readonly Step[]): boolean {
  const own = new Function(`"use strict";return (${text})`)() as (list: number[]) => unknown;
  return LISTS.some((list) => JSON.stringify(own([...list])) !== JSON.stringify(valueOfChain(steps, list)));
}
