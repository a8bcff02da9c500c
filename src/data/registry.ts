/**
 * Every task by name: its card, and how its definition is loaded. A new task is a folder and an entry here.
 *
 * A config, its schema and every list of tasks need the cards alone; a generator, with its solver or its word list, is
 * loaded when a run is made of it.
 */
import { commandName } from '../command_name.ts';
import { ConfigError } from '../errors.ts';
import { didYouMean } from '../options/nearest_name.ts';
import { DATASET, datasetCard } from './datasets/card.ts';
import type { Derivation } from './derived/derived_task.ts';
import type { RegisteredTask } from './registered_task.ts';
import type { Knobs, ListedCard, TaskCard } from './task.ts';
import { abCard } from './tasks/ab/card.ts';
import { baseConversionCard } from './tasks/base_conversion/card.ts';
import { basicArithmeticCard } from './tasks/basic_arithmetic/card.ts';
import { bfCard } from './tasks/bf/card.ts';
import { binairoCard } from './tasks/binairo/card.ts';
import { binaryAlternationCard } from './tasks/binary_alternation/card.ts';
import { binaryMatrixCard } from './tasks/binary_matrix/card.ts';
import { bitwiseArithmeticCard } from './tasks/bitwise_arithmetic/card.ts';
import { boolExpressionCard } from './tasks/bool_expression/card.ts';
import { caesarCipherCard } from './tasks/caesar_cipher/card.ts';
import { chainSumCard } from './tasks/chain_sum/card.ts';
import { coinFlipCard } from './tasks/coin_flip/card.ts';
import { complexArithmeticCard } from './tasks/complex_arithmetic/card.ts';
import { constraintsCard } from './tasks/constraints/card.ts';
import { copyCard } from './tasks/copy/card.ts';
import { corruptSpanCard } from './tasks/corrupt_span/card.ts';
import { countBitsCard } from './tasks/count_bits/card.ts';
import { countPrimesCard } from './tasks/count_primes/card.ts';
import { countdownCard } from './tasks/countdown/card.ts';
import { courseScheduleCard } from './tasks/course_schedule/card.ts';
import { critiqueTasksCard } from './tasks/critique_tasks/card.ts';
import { decimalChainSumCard } from './tasks/decimal_chain_sum/card.ts';
import { dyckCard } from './tasks/dyck/card.ts';
import { fractionSimplificationCard } from './tasks/fraction_simplification/card.ts';
import { futoshikiCard } from './tasks/futoshiki/card.ts';
import { gameOfLifeCard } from './tasks/game_of_life/card.ts';
import { gcdCard } from './tasks/gcd/card.ts';
import { graphColorCard } from './tasks/graph_color/card.ts';
import { isomorphicStringsCard } from './tasks/isomorphic_strings/card.ts';
import { kakurasuCard } from './tasks/kakurasu/card.ts';
import { knightsKnavesCard } from './tasks/knights_knaves/card.ts';
import { largestIslandCard } from './tasks/largest_island/card.ts';
import { lcmCard } from './tasks/lcm/card.ts';
import { letterCountingCard } from './tasks/letter_counting/card.ts';
import { lightsOutCard } from './tasks/lights_out/card.ts';
import { manipulateMatrixCard } from './tasks/manipulate_matrix/card.ts';
import { maskFillCard } from './tasks/mask_fill/card.ts';
import { mazeCard } from './tasks/maze/card.ts';
import { mcqFimCard } from './tasks/mcq_fim/card.ts';
import { miniSudokuCard } from './tasks/mini_sudoku/card.ts';
import { modArithCard } from './tasks/mod_arith/card.ts';
import { nQueensCard } from './tasks/n_queens/card.ts';
import { needleHaystackCard } from './tasks/needle_haystack/card.ts';
import { nextSegmentCard } from './tasks/next_segment/card.ts';
import { numberFilteringCard } from './tasks/number_filtering/card.ts';
import { numberFormatCard } from './tasks/number_format/card.ts';
import { numberSequenceCard } from './tasks/number_sequence/card.ts';
import { numberSortingCard } from './tasks/number_sorting/card.ts';
import { palindromeGenerationCard } from './tasks/palindrome_generation/card.ts';
import { parityCard } from './tasks/parity/card.ts';
import { pathStarCard } from './tasks/path_star/card.ts';
import { primeFactorizationCard } from './tasks/prime_factorization/card.ts';
import { productsCard } from './tasks/products/card.ts';
import { propositionalLogicCard } from './tasks/propositional_logic/card.ts';
import { puzzle24Card } from './tasks/puzzle24/card.ts';
import { ransomNoteCard } from './tasks/ransom_note/card.ts';
import { reorderCard } from './tasks/reorder/card.ts';
import { reverseTextCard } from './tasks/reverse_text/card.ts';
import { romanNumeralsCard } from './tasks/roman_numerals/card.ts';
import { rotateMatrixCard } from './tasks/rotate_matrix/card.ts';
import { rottenOrangesCard } from './tasks/rotten_oranges/card.ts';
import { runLengthCard } from './tasks/run_length/card.ts';
import { shortestPathCard } from './tasks/shortest_path/card.ts';
import { simpleEquationsCard } from './tasks/simple_equations/card.ts';
import { sortDigitsCard } from './tasks/sort_digits/card.ts';
import { spiralMatrixCard } from './tasks/spiral_matrix/card.ts';
import { sslTasksCard } from './tasks/ssl_tasks/card.ts';
import { stackMachineCard } from './tasks/stack_machine/card.ts';
import { stringManipulationCard } from './tasks/string_manipulation/card.ts';
import { syllogismCard } from './tasks/syllogism/card.ts';
import { topologicalOrderCard } from './tasks/topological_order/card.ts';
import { towerOfHanoiCard } from './tasks/tower_of_hanoi/card.ts';
import { verifyTasksCard } from './tasks/verify_tasks/card.ts';
import { vmrCard } from './tasks/vmr/card.ts';
import { wordSequenceReversalCard } from './tasks/word_sequence_reversal/card.ts';
import { wordSortingCard } from './tasks/word_sorting/card.ts';

export type { AnyTaskDefinition, RegisteredTask } from './registered_task.ts';

/** A task made of the one that its knob `of` names. */
function derivedEntry(card: ListedCard<Knobs>, open: () => Promise<Derivation>): RegisteredTask {
  const load: RegisteredTask['load'] = async (given) => {
    const { derived } = await import('./derived/derived_task.ts');
    return derived(card, open, registeredTask)(given);
  };
  return { card, load };
}

/** The tasks of the package by name, as `task:` of a config has them. */
export const registeredTasks: Readonly<Record<string, RegisteredTask>> = {
  countdown: {
    card: countdownCard,
    load: async () => (await import('./tasks/countdown/countdown.ts')).countdown,
  },
  sort_digits: {
    card: sortDigitsCard,
    load: async () => (await import('./tasks/sort_digits/sort_digits.ts')).sortDigits,
  },
  reverse_text: {
    card: reverseTextCard,
    load: async () => (await import('./tasks/reverse_text/reverse_text.ts')).reverseText,
  },
  // arithmetic
  coin_flip: {
    card: coinFlipCard,
    load: async () => (await import('./tasks/coin_flip/coin_flip.ts')).coinFlip,
  },
  complex_arithmetic: {
    card: complexArithmeticCard,
    load: async () => (await import('./tasks/complex_arithmetic/complex_arithmetic.ts')).complexArithmetic,
  },
  bitwise_arithmetic: {
    card: bitwiseArithmeticCard,
    load: async () => (await import('./tasks/bitwise_arithmetic/bitwise_arithmetic.ts')).bitwiseArithmetic,
  },
  puzzle24: { card: puzzle24Card, load: async () => (await import('./tasks/puzzle24/puzzle24.ts')).puzzle24 },
  decimal_chain_sum: {
    card: decimalChainSumCard,
    load: async () => (await import('./tasks/decimal_chain_sum/decimal_chain_sum.ts')).decimalChainSum,
  },
  count_primes: {
    card: countPrimesCard,
    load: async () => (await import('./tasks/count_primes/count_primes.ts')).countPrimes,
  },
  fraction_simplification: {
    card: fractionSimplificationCard,
    load: async () =>
      (await import('./tasks/fraction_simplification/fraction_simplification.ts')).fractionSimplification,
  },
  prime_factorization: {
    card: primeFactorizationCard,
    load: async () => (await import('./tasks/prime_factorization/prime_factorization.ts')).primeFactorization,
  },
  simple_equations: {
    card: simpleEquationsCard,
    load: async () => (await import('./tasks/simple_equations/simple_equations.ts')).simpleEquations,
  },
  number_format: {
    card: numberFormatCard,
    load: async () => (await import('./tasks/number_format/number_format.ts')).numberFormat,
  },
  base_conversion: {
    card: baseConversionCard,
    load: async () => (await import('./tasks/base_conversion/base_conversion.ts')).baseConversion,
  },
  lcm: { card: lcmCard, load: async () => (await import('./tasks/lcm/lcm.ts')).lcm },
  count_bits: { card: countBitsCard, load: async () => (await import('./tasks/count_bits/count_bits.ts')).countBits },
  mod_arith: { card: modArithCard, load: async () => (await import('./tasks/mod_arith/mod_arith.ts')).modArith },
  products: { card: productsCard, load: async () => (await import('./tasks/products/products.ts')).products },
  basic_arithmetic: {
    card: basicArithmeticCard,
    load: async () => (await import('./tasks/basic_arithmetic/basic_arithmetic.ts')).basicArithmetic,
  },
  chain_sum: { card: chainSumCard, load: async () => (await import('./tasks/chain_sum/chain_sum.ts')).chainSum },
  gcd: { card: gcdCard, load: async () => (await import('./tasks/gcd/gcd.ts')).gcd },
  // strings
  string_manipulation: {
    card: stringManipulationCard,
    load: async () => (await import('./tasks/string_manipulation/string_manipulation.ts')).stringManipulation,
  },
  ab: {
    card: abCard,
    load: async () => (await import('./tasks/ab/ab.ts')).ab,
  },
  roman_numerals: {
    card: romanNumeralsCard,
    load: async () => (await import('./tasks/roman_numerals/roman_numerals.ts')).romanNumerals,
  },
  run_length: { card: runLengthCard, load: async () => (await import('./tasks/run_length/run_length.ts')).runLength },
  binary_alternation: {
    card: binaryAlternationCard,
    load: async () => (await import('./tasks/binary_alternation/binary_alternation.ts')).binaryAlternation,
  },
  palindrome_generation: {
    card: palindromeGenerationCard,
    load: async () => (await import('./tasks/palindrome_generation/palindrome_generation.ts')).palindromeGeneration,
  },
  isomorphic_strings: {
    card: isomorphicStringsCard,
    load: async () => (await import('./tasks/isomorphic_strings/isomorphic_strings.ts')).isomorphicStrings,
  },
  ransom_note: {
    card: ransomNoteCard,
    load: async () => (await import('./tasks/ransom_note/ransom_note.ts')).ransomNote,
  },
  number_filtering: {
    card: numberFilteringCard,
    load: async () => (await import('./tasks/number_filtering/number_filtering.ts')).numberFiltering,
  },
  word_sequence_reversal: {
    card: wordSequenceReversalCard,
    load: async () => (await import('./tasks/word_sequence_reversal/word_sequence_reversal.ts')).wordSequenceReversal,
  },
  word_sorting: {
    card: wordSortingCard,
    load: async () => (await import('./tasks/word_sorting/word_sorting.ts')).wordSorting,
  },
  needle_haystack: {
    card: needleHaystackCard,
    load: async () => (await import('./tasks/needle_haystack/needle_haystack.ts')).needleHaystack,
  },
  number_sorting: {
    card: numberSortingCard,
    load: async () => (await import('./tasks/number_sorting/number_sorting.ts')).numberSorting,
  },
  dyck: { card: dyckCard, load: async () => (await import('./tasks/dyck/dyck.ts')).dyck },
  caesar_cipher: {
    card: caesarCipherCard,
    load: async () => (await import('./tasks/caesar_cipher/caesar_cipher.ts')).caesarCipher,
  },
  letter_counting: {
    card: letterCountingCard,
    load: async () => (await import('./tasks/letter_counting/letter_counting.ts')).letterCounting,
  },
  copy: { card: copyCard, load: async () => (await import('./tasks/copy/copy.ts')).copy },
  parity: { card: parityCard, load: async () => (await import('./tasks/parity/parity.ts')).parity },
  // grids
  manipulate_matrix: {
    card: manipulateMatrixCard,
    load: async () => (await import('./tasks/manipulate_matrix/manipulate_matrix.ts')).manipulateMatrix,
  },
  game_of_life: {
    card: gameOfLifeCard,
    load: async () => (await import('./tasks/game_of_life/game_of_life.ts')).gameOfLife,
  },
  largest_island: {
    card: largestIslandCard,
    load: async () => (await import('./tasks/largest_island/largest_island.ts')).largestIsland,
  },
  rotten_oranges: {
    card: rottenOrangesCard,
    load: async () => (await import('./tasks/rotten_oranges/rotten_oranges.ts')).rottenOranges,
  },
  binary_matrix: {
    card: binaryMatrixCard,
    load: async () => (await import('./tasks/binary_matrix/binary_matrix.ts')).binaryMatrix,
  },
  spiral_matrix: {
    card: spiralMatrixCard,
    load: async () => (await import('./tasks/spiral_matrix/spiral_matrix.ts')).spiralMatrix,
  },
  rotate_matrix: {
    card: rotateMatrixCard,
    load: async () => (await import('./tasks/rotate_matrix/rotate_matrix.ts')).rotateMatrix,
  },
  // graphs
  maze: { card: mazeCard, load: async () => (await import('./tasks/maze/maze.ts')).maze },
  course_schedule: {
    card: courseScheduleCard,
    load: async () => (await import('./tasks/course_schedule/course_schedule.ts')).courseSchedule,
  },
  path_star: { card: pathStarCard, load: async () => (await import('./tasks/path_star/path_star.ts')).pathStar },
  graph_color: {
    card: graphColorCard,
    load: async () => (await import('./tasks/graph_color/graph_color.ts')).graphColor,
  },
  topological_order: {
    card: topologicalOrderCard,
    load: async () => (await import('./tasks/topological_order/topological_order.ts')).topologicalOrder,
  },
  shortest_path: {
    card: shortestPathCard,
    load: async () => (await import('./tasks/shortest_path/shortest_path.ts')).shortestPath,
  },
  // puzzles
  mini_sudoku: {
    card: miniSudokuCard,
    load: async () => (await import('./tasks/mini_sudoku/mini_sudoku.ts')).miniSudoku,
  },
  futoshiki: { card: futoshikiCard, load: async () => (await import('./tasks/futoshiki/futoshiki.ts')).futoshiki },
  kakurasu: { card: kakurasuCard, load: async () => (await import('./tasks/kakurasu/kakurasu.ts')).kakurasu },
  n_queens: { card: nQueensCard, load: async () => (await import('./tasks/n_queens/n_queens.ts')).nQueens },
  binairo: { card: binairoCard, load: async () => (await import('./tasks/binairo/binairo.ts')).binairo },
  // logic
  knights_knaves: {
    card: knightsKnavesCard,
    load: async () => (await import('./tasks/knights_knaves/knights_knaves.ts')).knightsKnaves,
  },
  syllogism: { card: syllogismCard, load: async () => (await import('./tasks/syllogism/syllogism.ts')).syllogism },
  propositional_logic: {
    card: propositionalLogicCard,
    load: async () => (await import('./tasks/propositional_logic/propositional_logic.ts')).propositionalLogic,
  },
  number_sequence: {
    card: numberSequenceCard,
    load: async () => (await import('./tasks/number_sequence/number_sequence.ts')).numberSequence,
  },
  bool_expression: {
    card: boolExpressionCard,
    load: async () => (await import('./tasks/bool_expression/bool_expression.ts')).boolExpression,
  },
  // programs
  stack_machine: {
    card: stackMachineCard,
    load: async () => (await import('./tasks/stack_machine/stack_machine.ts')).stackMachine,
  },
  bf: {
    card: bfCard,
    load: async () => (await import('./tasks/bf/bf.ts')).bf,
  },
  // plans
  lights_out: {
    card: lightsOutCard,
    load: async () => (await import('./tasks/lights_out/lights_out.ts')).lightsOut,
  },
  tower_of_hanoi: {
    card: towerOfHanoiCard,
    load: async () => (await import('./tasks/tower_of_hanoi/tower_of_hanoi.ts')).towerOfHanoi,
  },
  // text
  constraints: {
    card: constraintsCard,
    load: async () => (await import('./tasks/constraints/constraints.ts')).constraints,
  },
  // of tasks
  mask_fill: derivedEntry(maskFillCard, async () => (await import('./tasks/mask_fill/mask_fill.ts')).maskFill),
  reorder: derivedEntry(reorderCard, async () => (await import('./tasks/reorder/reorder.ts')).reorder),
  corrupt_span: derivedEntry(
    corruptSpanCard,
    async () => (await import('./tasks/corrupt_span/corrupt_span.ts')).corruptSpan,
  ),
  mcq_fim: derivedEntry(mcqFimCard, async () => (await import('./tasks/mcq_fim/mcq_fim.ts')).mcqFim),
  vmr: derivedEntry(vmrCard, async () => (await import('./tasks/vmr/vmr.ts')).vmr),
  next_segment: derivedEntry(
    nextSegmentCard,
    async () => (await import('./tasks/next_segment/next_segment.ts')).nextSegment,
  ),
  ssl_tasks: derivedEntry(sslTasksCard, async () => (await import('./tasks/ssl_tasks/ssl_tasks.ts')).sslTasks),
  verify_tasks: derivedEntry(
    verifyTasksCard,
    async () => (await import('./tasks/verify_tasks/verify_tasks.ts')).verifyTasks,
  ),
  critique_tasks: derivedEntry(
    critiqueTasksCard,
    async () => (await import('./tasks/critique_tasks/critique_tasks.ts')).critiqueTasks,
  ),
};

/** Cards of every task that a config can name: the registered ones, and the one that reads files. */
export function listedCards(): ListedCard<Knobs>[] {
  return [...Object.values(registeredTasks).map(({ card }) => card), datasetCard];
}

/** The card of a name: of a registered task, or of the one that reads files. Undefined where there is none. */
export function knownCard(name: string): TaskCard<Knobs> | undefined {
  if (name === DATASET) return datasetCard;
  return Object.hasOwn(registeredTasks, name) ? registeredTasks[name].card : undefined;
}

/** A registered task. @throws ConfigError naming the nearest one */
export function registeredTask(name: string): RegisteredTask {
  if (Object.hasOwn(registeredTasks, name)) return registeredTasks[name];
  if (name === DATASET) {
    const rule = 'its rows come from the files that a config names, so there is nothing to show or check without one';
    throw new ConfigError('no-files', `task.name: ${DATASET} — ${rule}.`, { name });
  }
  const taskNames = [...Object.keys(registeredTasks), DATASET];
  const message = `task.name: ${JSON.stringify(name)} — no such task${didYouMean(String(name), taskNames)} (${commandName()} tasks ls has them all)`;
  throw new ConfigError('unknown-task', message, { name, known: taskNames });
}
