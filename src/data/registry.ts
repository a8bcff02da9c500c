/**
 * Every task by name: its card, and how its definition is loaded. A new task is a folder and an entry here.
 *
 * A config, its schema and every list of tasks need the cards alone; a generator, with its solver or its word list, is
 * loaded when a run is made of it.
 */
import { commandName } from '../command_name.ts';
import { ConfigError } from '../errors.ts';
import { didYouMean } from '../options/nearest_name.ts';
import type { JavaScriptSandbox } from '../sandbox/javascript.ts';
import type { SchemaChecker } from '../sandbox/json_schema.ts';
import type { RegexSandbox } from '../sandbox/regex.ts';
import type { SqlSandbox } from '../sandbox/sql.ts';
import { DATASET, datasetCard } from './datasets/card.ts';
import type { Derivation, InnerLookup } from './derived/derived_task.ts';
import { OPENENV, openEnvCard } from './openenv/card.ts';
import type { AnyTaskDefinition, RegisteredTask } from './registered_task.ts';
import type { Knobs, ListedCard, TaskCard } from './task.ts';
import { abCard } from './tasks/ab/card.ts';
import { antiderivativeCard } from './tasks/antiderivative/card.ts';
import { baseConversionCard } from './tasks/base_conversion/card.ts';
import { basicArithmeticCard } from './tasks/basic_arithmetic/card.ts';
import { bfCard } from './tasks/bf/card.ts';
import { binairoCard } from './tasks/binairo/card.ts';
import { binaryAlternationCard } from './tasks/binary_alternation/card.ts';
import { binaryMatrixCard } from './tasks/binary_matrix/card.ts';
import { bitwiseArithmeticCard } from './tasks/bitwise_arithmetic/card.ts';
import { blackjackCard } from './tasks/blackjack/card.ts';
import { boolExpressionCard } from './tasks/bool_expression/card.ts';
import { caesarCipherCard } from './tasks/caesar_cipher/card.ts';
import { calculatorCard } from './tasks/calculator/card.ts';
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
import { derivativeCard } from './tasks/derivative/card.ts';
import { dyckCard } from './tasks/dyck/card.ts';
import { formStateCard } from './tasks/form_state/card.ts';
import { fractionSimplificationCard } from './tasks/fraction_simplification/card.ts';
import { frozenLakeCard } from './tasks/frozen_lake/card.ts';
import { fsmSiteCard } from './tasks/fsm_site/card.ts';
import { futoshikiCard } from './tasks/futoshiki/card.ts';
import { gameOfLifeCard } from './tasks/game_of_life/card.ts';
import { gcdCard } from './tasks/gcd/card.ts';
import { graphColorCard } from './tasks/graph_color/card.ts';
import { guessNumberCard } from './tasks/guess_number/card.ts';
import { hangmanCard } from './tasks/hangman/card.ts';
import { inContextKgCard } from './tasks/in_context_kg/card.ts';
import { inequalityCard } from './tasks/inequality/card.ts';
import { isomorphicStringsCard } from './tasks/isomorphic_strings/card.ts';
import { jsFunctionCard } from './tasks/js_function/card.ts';
import { jsOutputCard } from './tasks/js_output/card.ts';
import { jsRepairCard } from './tasks/js_repair/card.ts';
import { jsTryCard } from './tasks/js_try/card.ts';
import { jsonRecordCard } from './tasks/json_record/card.ts';
import { kakurasuCard } from './tasks/kakurasu/card.ts';
import { knightsKnavesCard } from './tasks/knights_knaves/card.ts';
import { kuhnPokerCard } from './tasks/kuhn_poker/card.ts';
import { largestIslandCard } from './tasks/largest_island/card.ts';
import { lcmCard } from './tasks/lcm/card.ts';
import { letterCountingCard } from './tasks/letter_counting/card.ts';
import { lightsOutCard } from './tasks/lights_out/card.ts';
import { lineTraceCard } from './tasks/line_trace/card.ts';
import { lookupCard } from './tasks/lookup/card.ts';
import { manipulateMatrixCard } from './tasks/manipulate_matrix/card.ts';
import { maskFillCard } from './tasks/mask_fill/card.ts';
import { mastermindCard } from './tasks/mastermind/card.ts';
import { mazeCard } from './tasks/maze/card.ts';
import { mcqFimCard } from './tasks/mcq_fim/card.ts';
import { minesweeperCard } from './tasks/minesweeper/card.ts';
import { miniSearchCard } from './tasks/mini_search/card.ts';
import { miniSudokuCard } from './tasks/mini_sudoku/card.ts';
import { modArithCard } from './tasks/mod_arith/card.ts';
import { nQueensCard } from './tasks/n_queens/card.ts';
import { needleHaystackCard } from './tasks/needle_haystack/card.ts';
import { nextSegmentCard } from './tasks/next_segment/card.ts';
import { nimCard } from './tasks/nim/card.ts';
import { numberFilteringCard } from './tasks/number_filtering/card.ts';
import { numberFormatCard } from './tasks/number_format/card.ts';
import { numberSequenceCard } from './tasks/number_sequence/card.ts';
import { numberSortingCard } from './tasks/number_sorting/card.ts';
import { openRefCard } from './tasks/open_ref/card.ts';
import { palindromeGenerationCard } from './tasks/palindrome_generation/card.ts';
import { parityCard } from './tasks/parity/card.ts';
import { pathStarCard } from './tasks/path_star/card.ts';
import { polynomialExpandCard } from './tasks/polynomial_expand/card.ts';
import { primeFactorizationCard } from './tasks/prime_factorization/card.ts';
import { productsCard } from './tasks/products/card.ts';
import { proofCard } from './tasks/proof/card.ts';
import { propositionalLogicCard } from './tasks/propositional_logic/card.ts';
import { puzzle24Card } from './tasks/puzzle24/card.ts';
import { rankingCard } from './tasks/ranking/card.ts';
import { ransomNoteCard } from './tasks/ransom_note/card.ts';
import { regexWriteCard } from './tasks/regex_write/card.ts';
import { reorderCard } from './tasks/reorder/card.ts';
import { retryCard } from './tasks/retry/card.ts';
import { reverseTextCard } from './tasks/reverse_text/card.ts';
import { romanNumeralsCard } from './tasks/roman_numerals/card.ts';
import { rotateMatrixCard } from './tasks/rotate_matrix/card.ts';
import { rottenOrangesCard } from './tasks/rotten_oranges/card.ts';
import { roundTripCard } from './tasks/round_trip/card.ts';
import { rulesCalcCard } from './tasks/rules_calc/card.ts';
import { runLengthCard } from './tasks/run_length/card.ts';
import { seriesCard } from './tasks/series/card.ts';
import { shortestPathCard } from './tasks/shortest_path/card.ts';
import { simpleEquationsCard } from './tasks/simple_equations/card.ts';
import { sokobanCard } from './tasks/sokoban/card.ts';
import { sortDigitsCard } from './tasks/sort_digits/card.ts';
import { spiralMatrixCard } from './tasks/spiral_matrix/card.ts';
import { sqlSelectCard } from './tasks/sql_select/card.ts';
import { sqlTryCard } from './tasks/sql_try/card.ts';
import { sslTasksCard } from './tasks/ssl_tasks/card.ts';
import { stackMachineCard } from './tasks/stack_machine/card.ts';
import { stackVmCard } from './tasks/stack_vm/card.ts';
import { stateDbCard } from './tasks/state_db/card.ts';
import { statutesCard } from './tasks/statutes/card.ts';
import { stringManipulationCard } from './tasks/string_manipulation/card.ts';
import { syllogismCard } from './tasks/syllogism/card.ts';
import { ticTacToeCard } from './tasks/tic_tac_toe/card.ts';
import { topologicalOrderCard } from './tasks/topological_order/card.ts';
import { towerOfHanoiCard } from './tasks/tower_of_hanoi/card.ts';
import { verifyTasksCard } from './tasks/verify_tasks/card.ts';
import { vmTraceCard } from './tasks/vm_trace/card.ts';
import { vmrCard } from './tasks/vmr/card.ts';
import { wordSequenceReversalCard } from './tasks/word_sequence_reversal/card.ts';
import { wordSortingCard } from './tasks/word_sorting/card.ts';
import { wordleCard } from './tasks/wordle/card.ts';

export type { AnyTaskDefinition, RegisteredTask } from './registered_task.ts';

/** @param name  under which its file exports the definition */
function task<Name extends string>(
  card: ListedCard<Knobs>,
  open: () => Promise<Readonly<Record<NoInfer<Name>, AnyTaskDefinition>>>,
  name: Name,
): RegisteredTask {
  return { card, load: async () => (await open())[name] };
}

/** A task made of the one that its knob `of` names. @param name  under which its file exports the derivation */
function taskOfTasks<Name extends string>(
  card: ListedCard<Knobs>,
  open: () => Promise<Readonly<Record<NoInfer<Name>, Derivation>>>,
  name: Name,
): RegisteredTask {
  const load: RegisteredTask['load'] = async (given, own) => {
    const { derived } = await import('./derived/derived_task.ts');
    return derived(card, async () => (await open())[name], innerBy(own))(given);
  };
  return { card, load };
}

/** How the task that a task is made of is found. @param own  that one, where it is none of the package */
function innerBy(own: AnyTaskDefinition | undefined): InnerLookup {
  return own === undefined ? registeredTask : () => ({ card: own, load: async () => own });
}

/** A task whose answers run in a sandbox, or are checked by a package. @param open  what makes it of the sandbox */
function sandboxed<Sandbox>(
  card: ListedCard<Knobs>,
  openSandbox: () => Promise<Sandbox>,
  open: () => Promise<(sandbox: Sandbox) => AnyTaskDefinition>,
): RegisteredTask {
  const load = async (): Promise<AnyTaskDefinition> => {
    const [sandbox, make] = await Promise.all([openSandbox(), open()]);
    return make(sandbox);
  };
  return { card, load };
}

const javaScript = async (): Promise<JavaScriptSandbox> => (await import('../sandbox/javascript.ts')).openJavaScript();
const sql = async (): Promise<SqlSandbox> => (await import('../sandbox/sql.ts')).openSql();
const regex = async (): Promise<RegexSandbox> => (await import('../sandbox/regex.ts')).openRegex();
const schemas = async (): Promise<SchemaChecker> => (await import('../sandbox/json_schema.ts')).openSchemaChecker();

const retry: RegisteredTask = {
  card: retryCard,
  async load(given = {}, own) {
    const [{ innerTask, innersOf }, { requireOneTurn, retryTask }] = await Promise.all([
      import('./derived/derived_task.ts'),
      import('./derived/retry_task.ts'),
    ]);
    const { of, inner } = await innerTask(retryCard, given, innerBy(own));
    requireOneTurn(inner, 'task.of');
    return retryTask(retryCard, inner, innersOf(retryCard, of.task, inner));
  },
};

const TASKS: readonly RegisteredTask[] = [
  task(countdownCard, () => import('./tasks/countdown/countdown.ts'), 'countdown'),
  task(sortDigitsCard, () => import('./tasks/sort_digits/sort_digits.ts'), 'sortDigits'),
  task(reverseTextCard, () => import('./tasks/reverse_text/reverse_text.ts'), 'reverseText'),
  // arithmetic
  task(coinFlipCard, () => import('./tasks/coin_flip/coin_flip.ts'), 'coinFlip'),
  task(complexArithmeticCard, () => import('./tasks/complex_arithmetic/complex_arithmetic.ts'), 'complexArithmetic'),
  task(bitwiseArithmeticCard, () => import('./tasks/bitwise_arithmetic/bitwise_arithmetic.ts'), 'bitwiseArithmetic'),
  task(puzzle24Card, () => import('./tasks/puzzle24/puzzle24.ts'), 'puzzle24'),
  task(decimalChainSumCard, () => import('./tasks/decimal_chain_sum/decimal_chain_sum.ts'), 'decimalChainSum'),
  task(countPrimesCard, () => import('./tasks/count_primes/count_primes.ts'), 'countPrimes'),
  task(
    fractionSimplificationCard,
    () => import('./tasks/fraction_simplification/fraction_simplification.ts'),
    'fractionSimplification',
  ),
  task(
    primeFactorizationCard,
    () => import('./tasks/prime_factorization/prime_factorization.ts'),
    'primeFactorization',
  ),
  task(simpleEquationsCard, () => import('./tasks/simple_equations/simple_equations.ts'), 'simpleEquations'),
  task(numberFormatCard, () => import('./tasks/number_format/number_format.ts'), 'numberFormat'),
  task(baseConversionCard, () => import('./tasks/base_conversion/base_conversion.ts'), 'baseConversion'),
  task(lcmCard, () => import('./tasks/lcm/lcm.ts'), 'lcm'),
  task(countBitsCard, () => import('./tasks/count_bits/count_bits.ts'), 'countBits'),
  task(modArithCard, () => import('./tasks/mod_arith/mod_arith.ts'), 'modArith'),
  task(productsCard, () => import('./tasks/products/products.ts'), 'products'),
  task(basicArithmeticCard, () => import('./tasks/basic_arithmetic/basic_arithmetic.ts'), 'basicArithmetic'),
  task(chainSumCard, () => import('./tasks/chain_sum/chain_sum.ts'), 'chainSum'),
  task(gcdCard, () => import('./tasks/gcd/gcd.ts'), 'gcd'),
  // algebra
  task(polynomialExpandCard, () => import('./tasks/polynomial_expand/polynomial_expand.ts'), 'polynomialExpand'),
  task(derivativeCard, () => import('./tasks/derivative/derivative.ts'), 'derivative'),
  task(antiderivativeCard, () => import('./tasks/antiderivative/antiderivative.ts'), 'antiderivative'),
  task(inequalityCard, () => import('./tasks/inequality/inequality.ts'), 'inequality'),
  // strings
  task(
    stringManipulationCard,
    () => import('./tasks/string_manipulation/string_manipulation.ts'),
    'stringManipulation',
  ),
  task(abCard, () => import('./tasks/ab/ab.ts'), 'ab'),
  task(romanNumeralsCard, () => import('./tasks/roman_numerals/roman_numerals.ts'), 'romanNumerals'),
  task(runLengthCard, () => import('./tasks/run_length/run_length.ts'), 'runLength'),
  task(binaryAlternationCard, () => import('./tasks/binary_alternation/binary_alternation.ts'), 'binaryAlternation'),
  task(
    palindromeGenerationCard,
    () => import('./tasks/palindrome_generation/palindrome_generation.ts'),
    'palindromeGeneration',
  ),
  task(isomorphicStringsCard, () => import('./tasks/isomorphic_strings/isomorphic_strings.ts'), 'isomorphicStrings'),
  task(ransomNoteCard, () => import('./tasks/ransom_note/ransom_note.ts'), 'ransomNote'),
  task(numberFilteringCard, () => import('./tasks/number_filtering/number_filtering.ts'), 'numberFiltering'),
  task(
    wordSequenceReversalCard,
    () => import('./tasks/word_sequence_reversal/word_sequence_reversal.ts'),
    'wordSequenceReversal',
  ),
  task(wordSortingCard, () => import('./tasks/word_sorting/word_sorting.ts'), 'wordSorting'),
  task(needleHaystackCard, () => import('./tasks/needle_haystack/needle_haystack.ts'), 'needleHaystack'),
  task(numberSortingCard, () => import('./tasks/number_sorting/number_sorting.ts'), 'numberSorting'),
  task(dyckCard, () => import('./tasks/dyck/dyck.ts'), 'dyck'),
  task(caesarCipherCard, () => import('./tasks/caesar_cipher/caesar_cipher.ts'), 'caesarCipher'),
  task(letterCountingCard, () => import('./tasks/letter_counting/letter_counting.ts'), 'letterCounting'),
  task(copyCard, () => import('./tasks/copy/copy.ts'), 'copy'),
  task(parityCard, () => import('./tasks/parity/parity.ts'), 'parity'),
  task(roundTripCard, () => import('./tasks/round_trip/round_trip.ts'), 'roundTrip'),
  // grids
  task(manipulateMatrixCard, () => import('./tasks/manipulate_matrix/manipulate_matrix.ts'), 'manipulateMatrix'),
  task(gameOfLifeCard, () => import('./tasks/game_of_life/game_of_life.ts'), 'gameOfLife'),
  task(largestIslandCard, () => import('./tasks/largest_island/largest_island.ts'), 'largestIsland'),
  task(rottenOrangesCard, () => import('./tasks/rotten_oranges/rotten_oranges.ts'), 'rottenOranges'),
  task(binaryMatrixCard, () => import('./tasks/binary_matrix/binary_matrix.ts'), 'binaryMatrix'),
  task(spiralMatrixCard, () => import('./tasks/spiral_matrix/spiral_matrix.ts'), 'spiralMatrix'),
  task(rotateMatrixCard, () => import('./tasks/rotate_matrix/rotate_matrix.ts'), 'rotateMatrix'),
  // graphs
  task(mazeCard, () => import('./tasks/maze/maze.ts'), 'maze'),
  task(courseScheduleCard, () => import('./tasks/course_schedule/course_schedule.ts'), 'courseSchedule'),
  task(pathStarCard, () => import('./tasks/path_star/path_star.ts'), 'pathStar'),
  task(graphColorCard, () => import('./tasks/graph_color/graph_color.ts'), 'graphColor'),
  task(topologicalOrderCard, () => import('./tasks/topological_order/topological_order.ts'), 'topologicalOrder'),
  task(shortestPathCard, () => import('./tasks/shortest_path/shortest_path.ts'), 'shortestPath'),
  // puzzles
  task(miniSudokuCard, () => import('./tasks/mini_sudoku/mini_sudoku.ts'), 'miniSudoku'),
  task(futoshikiCard, () => import('./tasks/futoshiki/futoshiki.ts'), 'futoshiki'),
  task(kakurasuCard, () => import('./tasks/kakurasu/kakurasu.ts'), 'kakurasu'),
  task(nQueensCard, () => import('./tasks/n_queens/n_queens.ts'), 'nQueens'),
  task(binairoCard, () => import('./tasks/binairo/binairo.ts'), 'binairo'),
  // logic
  task(knightsKnavesCard, () => import('./tasks/knights_knaves/knights_knaves.ts'), 'knightsKnaves'),
  task(syllogismCard, () => import('./tasks/syllogism/syllogism.ts'), 'syllogism'),
  task(
    propositionalLogicCard,
    () => import('./tasks/propositional_logic/propositional_logic.ts'),
    'propositionalLogic',
  ),
  task(numberSequenceCard, () => import('./tasks/number_sequence/number_sequence.ts'), 'numberSequence'),
  task(boolExpressionCard, () => import('./tasks/bool_expression/bool_expression.ts'), 'boolExpression'),
  task(statutesCard, () => import('./tasks/statutes/statutes.ts'), 'statutes'),
  task(proofCard, () => import('./tasks/proof/proof.ts'), 'proof'),
  task(seriesCard, () => import('./tasks/series/series.ts'), 'series'),
  // programs
  task(stackMachineCard, () => import('./tasks/stack_machine/stack_machine.ts'), 'stackMachine'),
  task(stackVmCard, () => import('./tasks/stack_vm/stack_vm.ts'), 'stackVm'),
  task(vmTraceCard, () => import('./tasks/vm_trace/vm_trace.ts'), 'vmTrace'),
  task(bfCard, () => import('./tasks/bf/bf.ts'), 'bf'),
  task(jsOutputCard, () => import('./tasks/js_output/js_output.ts'), 'jsOutput'),
  sandboxed(jsFunctionCard, javaScript, async () => (await import('./tasks/js_function/js_function.ts')).jsFunction),
  sandboxed(jsRepairCard, javaScript, async () => (await import('./tasks/js_repair/js_repair.ts')).jsRepair),
  sandboxed(sqlSelectCard, sql, async () => (await import('./tasks/sql_select/sql_select.ts')).sqlSelect),
  sandboxed(regexWriteCard, regex, async () => (await import('./tasks/regex_write/regex_write.ts')).regexWrite),
  sandboxed(jsonRecordCard, schemas, async () => (await import('./tasks/json_record/json_record.ts')).jsonRecord),
  task(lineTraceCard, () => import('./tasks/line_trace/line_trace.ts'), 'lineTrace'),
  // plans
  task(lightsOutCard, () => import('./tasks/lights_out/lights_out.ts'), 'lightsOut'),
  task(towerOfHanoiCard, () => import('./tasks/tower_of_hanoi/tower_of_hanoi.ts'), 'towerOfHanoi'),
  // knowledge
  task(inContextKgCard, () => import('./tasks/in_context_kg/in_context_kg.ts'), 'inContextKg'),
  task(rankingCard, () => import('./tasks/ranking/ranking.ts'), 'ranking'),
  task(rulesCalcCard, () => import('./tasks/rules_calc/rules_calc.ts'), 'rulesCalc'),
  // text
  task(constraintsCard, () => import('./tasks/constraints/constraints.ts'), 'constraints'),
  task(openRefCard, () => import('./tasks/open_ref/open_ref.ts'), 'openRef'),
  // environments
  sandboxed(jsTryCard, javaScript, async () => (await import('./tasks/js_try/js_try.ts')).jsTry),
  sandboxed(sqlTryCard, sql, async () => (await import('./tasks/sql_try/sql_try.ts')).sqlTry),
  task(guessNumberCard, () => import('./tasks/guess_number/guess_number.ts'), 'guessNumber'),
  task(frozenLakeCard, () => import('./tasks/frozen_lake/frozen_lake.ts'), 'frozenLake'),
  task(fsmSiteCard, () => import('./tasks/fsm_site/fsm_site.ts'), 'fsmSite'),
  task(formStateCard, () => import('./tasks/form_state/form_state.ts'), 'formState'),
  task(ticTacToeCard, () => import('./tasks/tic_tac_toe/tic_tac_toe.ts'), 'ticTacToe'),
  task(blackjackCard, () => import('./tasks/blackjack/blackjack.ts'), 'blackjack'),
  task(calculatorCard, () => import('./tasks/calculator/calculator.ts'), 'calculator'),
  task(lookupCard, () => import('./tasks/lookup/lookup.ts'), 'lookup'),
  task(miniSearchCard, () => import('./tasks/mini_search/mini_search.ts'), 'miniSearch'),
  task(stateDbCard, () => import('./tasks/state_db/state_db.ts'), 'stateDb'),
  retry,
  task(nimCard, () => import('./tasks/nim/nim.ts'), 'nim'),
  task(kuhnPokerCard, () => import('./tasks/kuhn_poker/kuhn_poker.ts'), 'kuhnPoker'),
  task(mastermindCard, () => import('./tasks/mastermind/mastermind.ts'), 'mastermind'),
  task(wordleCard, () => import('./tasks/wordle/wordle.ts'), 'wordle'),
  task(hangmanCard, () => import('./tasks/hangman/hangman.ts'), 'hangman'),
  task(sokobanCard, () => import('./tasks/sokoban/sokoban.ts'), 'sokoban'),
  task(minesweeperCard, () => import('./tasks/minesweeper/minesweeper.ts'), 'minesweeper'),
  // of tasks
  taskOfTasks(maskFillCard, () => import('./tasks/mask_fill/mask_fill.ts'), 'maskFill'),
  taskOfTasks(reorderCard, () => import('./tasks/reorder/reorder.ts'), 'reorder'),
  taskOfTasks(corruptSpanCard, () => import('./tasks/corrupt_span/corrupt_span.ts'), 'corruptSpan'),
  taskOfTasks(mcqFimCard, () => import('./tasks/mcq_fim/mcq_fim.ts'), 'mcqFim'),
  taskOfTasks(vmrCard, () => import('./tasks/vmr/vmr.ts'), 'vmr'),
  taskOfTasks(nextSegmentCard, () => import('./tasks/next_segment/next_segment.ts'), 'nextSegment'),
  taskOfTasks(sslTasksCard, () => import('./tasks/ssl_tasks/ssl_tasks.ts'), 'sslTasks'),
  taskOfTasks(verifyTasksCard, () => import('./tasks/verify_tasks/verify_tasks.ts'), 'verifyTasks'),
  taskOfTasks(critiqueTasksCard, () => import('./tasks/critique_tasks/critique_tasks.ts'), 'critiqueTasks'),
];

/** The tasks of the package by name, as `task:` of a config has them. */
export const registeredTasks: Readonly<Record<string, RegisteredTask>> = Object.fromEntries(
  TASKS.map((one) => [one.card.name, one]),
);

/** Cards of every task that a config can name: the registered ones, and those that are opened by what the config says. */
export function listedCards(): ListedCard<Knobs>[] {
  return [...Object.values(registeredTasks).map(({ card }) => card), openEnvCard, datasetCard];
}

/** The card of a name: of a registered task, or of one that is opened by what the config says. Undefined: there is none. */
export function knownCard(name: string): TaskCard<Knobs> | undefined {
  if (name === DATASET) return datasetCard;
  if (name === OPENENV) return openEnvCard;
  return Object.hasOwn(registeredTasks, name) ? registeredTasks[name].card : undefined;
}

/** A registered task. @throws ConfigError naming the nearest one */
export function registeredTask(name: string): RegisteredTask {
  if (Object.hasOwn(registeredTasks, name)) return registeredTasks[name];
  if (name === DATASET) {
    const rule = 'its rows come from the files that a config names, so there is nothing to show or check without one';
    throw new ConfigError('no-files', `task.name: ${DATASET} — ${rule}.`, { name });
  }
  if (name === OPENENV) {
    const rule =
      'its problems are those of the server that a config names, so there is nothing to show or check without one';
    throw new ConfigError('no-server', `task.name: ${OPENENV} — ${rule}.`, { name });
  }
  const taskNames = [...Object.keys(registeredTasks), OPENENV, DATASET];
  const message = `task.name: ${JSON.stringify(name)} — no such task${didYouMean(String(name), taskNames)} (${commandName()} tasks ls has them all)`;
  throw new ConfigError('unknown-task', message, { name, known: taskNames });
}
