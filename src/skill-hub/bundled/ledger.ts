/** The ledger of bundled skills in a home: which were put there, and how each looked when it was. */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { readOrEmpty } from '../hub-files.ts';

/** Name → MD5 of the skill as it came; an empty hash stands for a line of the first format, which had none. */
export type Ledger = Map<string, string>;

function ledgerPath(homePath: string): string {
  return join(homePath, 'skills', '.bundled_manifest');
}

/** Missing is empty. */
export function readLedger(homePath: string): Ledger {
  const ledger: Ledger = new Map();
  for (const line of readOrEmpty(ledgerPath(homePath)).split('\n')) {
    const [name = '', hash = ''] = line.trim().split(':');
    if (name.trim() !== '') ledger.set(name.trim(), hash.trim());
  }
  return ledger;
}

export function writeLedger(homePath: string, ledger: Ledger): void {
  const path = ledgerPath(homePath);
  mkdirSync(dirname(path), { recursive: true });
  const lines = [...ledger].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, hash]) => `${name}:${hash}\n`);
  writeFileAtomic(path, lines.join(''));
}
