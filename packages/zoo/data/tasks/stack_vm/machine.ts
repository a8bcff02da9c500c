/** The machine of stack_machine over whole numbers of any size, where a program may be wrong. */

interface Operation {
  readonly operands: number;
  apply(one: bigint, two: bigint): readonly bigint[];
}

const OPERATIONS: Readonly<Record<string, Operation>> = {
  '+': { operands: 2, apply: (one, two) => [one + two] },
  '-': { operands: 2, apply: (one, two) => [one - two] },
  '*': { operands: 2, apply: (one, two) => [one * two] },
  dup: { operands: 1, apply: (one) => [one, one] },
  swap: { operands: 2, apply: (one, two) => [two, one] },
  over: { operands: 2, apply: (one, two) => [one, two, one] },
  drop: { operands: 1, apply: () => [] },
};

/** Whether a word is an instruction: an operation, or a number without a sign. */
export function isInstruction(word: string): boolean {
  return Object.hasOwn(OPERATIONS, word) || /^(?:0|[1-9][0-9]{0,3})$/.test(word);
}

/** The one number that a program leaves of its input; undefined where an operand is missing, or the stack has another size. */
export function ran(program: readonly string[], input: bigint): bigint | undefined {
  const stack = [input];
  for (const word of program) {
    if (!Object.hasOwn(OPERATIONS, word)) stack.push(BigInt(word));
    else {
      const { operands, apply } = OPERATIONS[word] as Operation;
      if (stack.length < operands) return undefined;
      const [one = 0n, two = 0n] = stack.splice(-operands);
      stack.push(...apply(one, two));
    }
  }
  return stack.length === 1 ? stack[0] : undefined;
}
