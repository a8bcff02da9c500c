/** Environments with a theory: what their experts do is what the theory says. */
import { describe, expect, it } from 'vitest';
import { bindEnvironment, playEpisode } from '../../../../../src/data/play.ts';
import type { AnyTaskDefinition } from '../../../../../src/data/task.ts';
import { rngFor } from '../../../../../src/kernels/philox.ts';
import { bindTask } from '../../../data/index.ts';
import { blackjack } from '../../../data/tasks/blackjack/blackjack.ts';
import { bestValue, handOf, valueOfHitting, valueOfStanding } from '../../../data/tasks/blackjack/hands.ts';
import { hangman } from '../../../data/tasks/hangman/hangman.ts';
import { kuhnPoker } from '../../../data/tasks/kuhn_poker/kuhn_poker.ts';
import { type Seat, worthOf as worthOfAction } from '../../../data/tasks/kuhn_poker/strategies.ts';
import { answerTo, mastermind } from '../../../data/tasks/mastermind/mastermind.ts';
import { neighboursOf, safeFields } from '../../../data/tasks/minesweeper/deduction.ts';
import { minesweeper } from '../../../data/tasks/minesweeper/minesweeper.ts';
import { nim } from '../../../data/tasks/nim/nim.ts';
import { sokoban } from '../../../data/tasks/sokoban/sokoban.ts';
import { moved, shortestWay } from '../../../data/tasks/sokoban/warehouse.ts';
import { ticTacToe, worthOf } from '../../../data/tasks/tic_tac_toe/tic_tac_toe.ts';
import { marksOf, wordle } from '../../../data/tasks/wordle/wordle.ts';

/** Mean score of a player over these many problems of the training stream. */
function meanScore(definition: unknown, player: 'expert' | 'random', episodes: number, given = {}): number {
  const task = bindTask(definition as AnyTaskDefinition, given);
  const { environment } = definition as { environment: NonNullable<AnyTaskDefinition['environment']> };
  const bound = bindEnvironment(environment, task.name, task.knobs);
  let sum = 0;
  for (let index = 0; index < episodes; index++) {
    const rng = rngFor(`${player}|${index}`);
    const item = task.trainItem(1, index);
    const choose = (state: Parameters<typeof environment.expert>[0]) => environment[player](state, task.knobs, rng);
    sum += playEpisode(bound, item, String(index), choose).verdict.score ?? 0;
  }
  return sum / episodes;
}

describe('tic_tac_toe', () => {
  it('knows that perfect play is a draw, and what the openings are worth', () => {
    expect(worthOf('.........', 'x')).toBe(0);
    expect(worthOf('x........', 'o')).toBe(0);
    // To a corner only the middle is an answer; every other one loses.
    const answers = [1, 2, 3, 4, 5, 6, 7, 8].map((place) => {
      const cells = [...'x........'];
      cells[place] = 'o';
      return worthOf(cells.join(''), 'x');
    });
    expect(answers).toEqual([1, 1, 1, 0, 1, 1, 1, 1]);
  });

  it('gives a draw half of the score where a win was to be had, and all of it where it was not', () => {
    const judge = (cells: string, actions: string) =>
      ticTacToe.verify({ cells }, actions, { moves: 4, opponent: 'perfect' }, { finishReason: 'eos' });
    expect(judge('ooxxxo..o', '6').score).toBe(1);
    expect(judge('ooxxxo..o', '7').score).toBe(0.5); // o takes the last cell, and nobody has a line
    expect(judge('ooxxxo.o.', '6').score).toBe(1); // no more than a draw was to be had
    expect(judge('xx.oo....', '8').score).toBe(0); // o wins at once
  });
});

describe('blackjack', () => {
  const acts = (cards: string, dealer: string): string =>
    valueOfHitting(handOf(cards), handOf(dealer), false) > valueOfStanding(handOf(cards), handOf(dealer), false)
      ? 'h'
      : 's';
  const DEALERS = 'A23456789T';

  it('plays as figure 5.2 of Sutton & Barto, against the dealer from an ace to a ten', () => {
    const row = (cards: string): string =>
      DEALERS.split('')
        .map((dealer) => acts(cards, dealer))
        .join('');
    expect(row('56')).toBe('hhhhhhhhhh'); // 11
    expect(row('2T')).toBe('hhhssshhhh'); // 12
    for (const cards of ['3T', '4T', '5T', '6T']) expect(row(cards)).toBe('hssssshhhh'); // 13 to 16
    expect(row('7T')).toBe('ssssssssss');
    expect(row('A6')).toBe('hhhhhhhhhh'); // a soft 17
    expect(row('A7')).toBe('hsssssss' + 'hh'); // a soft 18
    expect(row('A8')).toBe('ssssssssss');
  });

  it('knows what standing is worth where it can be counted by hand', () => {
    // 21 against a six loses never and draws where the dealer comes to 21.
    const value = valueOfStanding(handOf('ATT'), handOf('6'), false);
    expect(value).toBeGreaterThan(0.85);
    expect(value).toBeLessThan(1);
    // On 20 a ten as the second card of a dealer's ten is a draw, an ace beats it: bounds by the first card alone.
    expect(valueOfStanding(handOf('TT'), handOf('T'), false)).toBeLessThan(12 / 13);
    // 4 or less against any dealer is worth the same as any other total below 17: only his going over 21 counts.
    expect(valueOfStanding(handOf('22'), handOf('5'), false)).toBe(valueOfStanding(handOf('6T'), handOf('5'), false));
  });

  it('is worth what its expert gets, and more than chance', () => {
    const task = bindTask(blackjack as unknown as AnyTaskDefinition, {});
    const episodes = 4000;
    const best = Array.from({ length: episodes }, (_, index) => Number(task.trainItem(1, index).columns?.best_score));
    const mean = best.reduce((sum, score) => sum + score, 0) / episodes;
    // The score of a hand has a deviation below 0.5.
    expect(Math.abs(meanScore(blackjack, 'expert', episodes) - mean)).toBeLessThan((4 * 0.5) / Math.sqrt(episodes));
    expect(meanScore(blackjack, 'random', episodes)).toBeLessThan(mean - 0.1);
  });

  it('costs the player more where the dealer takes a card at a soft 17', () => {
    const mean = (soft17: boolean): number => {
      let [sum, weights] = [0, 0];
      for (const [i, dealer] of DEALERS.split('').entries()) {
        const weight = i === 9 ? 4 : 1;
        sum += weight * bestValue(handOf('TT'), handOf(dealer), soft17);
        weights += weight;
      }
      return sum / weights;
    };
    expect(mean(true)).not.toBe(mean(false));
  });
});

describe('nim', () => {
  it('is won by its expert from every position that the exclusive or says is won', () => {
    for (const level of [0, 1, 2, 3]) expect(meanScore(nim, 'expert', 60, { level })).toBe(1);
  });

  it('has no position that is lost, and answers an error by winning', () => {
    const task = bindTask(nim as unknown as AnyTaskDefinition, {});
    for (let index = 0; index < 200; index++) {
      const { heaps } = task.trainItem(0, index).identity as { heaps: string };
      expect([...heaps].reduce((all, count) => all ^ Number(count), 0)).not.toBe(0);
    }
    const judge = (actions: string) =>
      nim.verify({ heaps: '12' }, actions, { heaps: 2, most: 3, opponent: 'perfect' }, { finishReason: 'eos' });
    // One of the second heap leaves two alike: whichever the opponent takes, the other one is the last.
    expect(judge('b1\na1\nb1').score).toBe(1);
    for (const error of ['a1', 'b2']) expect(judge(error).reason).toBe('the opponent took the last thing');
  });
});

describe('kuhn_poker', () => {
  const best = (card: string, seat: Seat, bluffs: number, calls: number): number =>
    Math.max(...[true, false].map((bets) => worthOfAction({ card, seat, bluffs, calls }, bets)));

  it('makes the game worth -1/18 to the first player against the equilibrium of the second, whatever he does', () => {
    const values = ['J', 'Q', 'K'].map((card) => best(card, 1, 3, 3));
    expect(values.reduce((sum, value) => sum + value, 0) / 3).toBeCloseTo(-1 / 18, 12);
    // Both actions of a jack, and of a king, are worth the same there.
    const jack = { card: 'J', seat: 1, bluffs: 3, calls: 3 } as const;
    expect(worthOfAction(jack, true)).toBeCloseTo(worthOfAction(jack, false), 12);
  });

  it.each([0, 1, 2, 3])(
    'makes it worth 1/18 to the second against an equilibrium of the first that bluffs %i of 9',
    (bluffs) => {
      // How often the first player passes or bets decides how often each seat is met.
      let total = 0;
      for (const own of ['J', 'Q', 'K']) {
        for (const other of ['J', 'Q', 'K'].filter((card) => card !== own)) {
          const bets = other === 'J' ? bluffs / 9 : other === 'Q' ? 0 : (3 * bluffs) / 9;
          total += (bets * best(own, 3, bluffs, bluffs + 3) + (1 - bets) * best(own, 2, bluffs, bluffs + 3)) / 6;
        }
      }
      expect(total).toBeCloseTo(1 / 18, 12);
    },
  );

  it('is worth what its expert gets, and more than chance', () => {
    const task = bindTask(kuhnPoker as unknown as AnyTaskDefinition, {});
    const episodes = 4000;
    const best = Array.from({ length: episodes }, (_, index) => Number(task.trainItem(1, index).columns?.best_score));
    const mean = best.reduce((sum, score) => sum + score, 0) / episodes;
    expect(Math.abs(meanScore(kuhnPoker, 'expert', episodes) - mean)).toBeLessThan((4 * 0.5) / Math.sqrt(episodes));
    expect(meanScore(kuhnPoker, 'random', episodes)).toBeLessThan(mean - 0.04);
  });
});

describe('guesses among candidates', () => {
  it('of mastermind are answered by hand', () => {
    expect(answerTo('0012', '0012')).toBe('40');
    expect(answerTo('0012', '1200')).toBe('04');
    expect(answerTo('0011', '0100')).toBe('12');
    expect(answerTo('000', '012')).toBe('10');
  });

  it('of wordle mark a letter as often as the word has it, those that are right first', () => {
    expect(marksOf('bado', 'bado')).toBe('====');
    expect(marksOf('baba', 'bado')).toBe('==--');
    expect(marksOf('abab', 'bado')).toBe('++--');
    expect(marksOf('oboe', 'bado')).toBe('++--');
  });

  it('find every code and every word in time', () => {
    for (const level of [0, 1, 2]) {
      expect(meanScore(mastermind, 'expert', 60, { level })).toBe(1);
      expect(meanScore(wordle, 'expert', 60, { level })).toBe(1);
      expect(meanScore(hangman, 'expert', 60, { level })).toBe(1);
    }
  });
});

describe('sokoban', () => {
  const corridor = { size: 3, floor: '...###..o', player: 0, boxes: [1] };

  it('pushes a box where the field beyond it is free, and nothing else', () => {
    expect(moved(corridor, corridor, 'R')).toEqual({ player: 1, boxes: [2] });
    expect(moved(corridor, { player: 1, boxes: [2] }, 'R')).toEqual({ player: 1, boxes: [2] });
    expect(moved(corridor, corridor, 'D')).toMatchObject({ player: 0, boxes: [1] });
    expect(moved(corridor, { player: 0, boxes: [1, 2] }, 'R')).toEqual({ player: 0, boxes: [1, 2] });
  });

  it('knows the shortest way, and where there is none', () => {
    const open = { size: 3, floor: '........o' };
    // To the wall, around it, and down.
    expect(shortestWay(open, { player: 3, boxes: [4] })).toBe('RURD');
    expect(shortestWay(open, { player: 4, boxes: [0] })).toBeUndefined(); // a corner
    expect(shortestWay(open, { player: 2, boxes: [5] })).toBe('D');
  });

  it('is lost with the move after which no way leads on', () => {
    const judge = (actions: string) =>
      sokoban.verify(
        { size: 3, floor: '........o', player: 2, boxes: [1] },
        actions,
        { size: 3, boxes: 1, walls: 0, turns: 8 },
        { finishReason: 'eos' },
      );
    expect(judge('L').reason).toBe('a box is where no way leads on');
  });
});

describe('minesweeper', () => {
  const three = neighboursOf(3);

  it('finds the fields that no way of laying the mines makes a mine', () => {
    // One mine beside the corner's 1: any of three. With two mines left elsewhere nothing is safe.
    expect(safeFields('1########', 3, three)).toEqual([]);
    // All mines are beside the corner: everything farther is safe.
    expect(safeFields('1########', 1, three)).toEqual([2, 5, 6, 7, 8]);
    // 1 2 1 in a row under covered fields: the mines are left and right, the middle is safe.
    expect(safeFields('###121000', 2, three)).toEqual([1]);
  });

  it('draws boards that these deductions open to the end, and refuses a mine', () => {
    for (const level of [0, 1, 2]) expect(meanScore(minesweeper, 'expert', 40, { level })).toBe(1);
    const judge = (actions: string) =>
      minesweeper.verify({ mines: [8], shown: '####1####' }, actions, { size: 3, mines: 1 }, { finishReason: 'eos' });
    expect(judge('22').reason).toBe('opened a mine');
    expect(judge('11\n11\n11').failure).toBe('illegal');
  });
});
