/** The record of each problem's visits and successes: `StepContext.ledger`. */
import type { Use } from './use.ts';

const RECORD: Use = {
  id: 'ledger',
  says: "the ledger: a record of each problem's visits and successes",
  readsVerdicts: true,
};

const HISTORY: Use = {
  id: 'ledger-history',
  says: 'its history: how the last groups of each problem went',
  implies: [RECORD],
};

/** The ledger, as a method uses it. @param keeps  `history`: the shares of each problem's last groups, too */
export function ledger(keeps: { readonly history?: boolean } = {}): Use {
  return keeps.history ? HISTORY : RECORD;
}
