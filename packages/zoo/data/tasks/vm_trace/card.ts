/** What vm_trace is and which knobs it has. */
import { stackMachineCard } from '../stack_machine/card.ts';

export const vmTraceCard = {
  ...stackMachineCard,
  name: 'vm_trace',
  does: 'Run a program of a stack machine and give the stack after each instruction.',
  example: ['trace 3 4 + dup *>', '3/3 4/7/7 7/49'] as [string, string],
  parts: ['output', 'trace'],
};
