/** One change to a list of entries, and what becomes of it. Pure: reading and writing are elsewhere. */
import { codePoints, holdsSeparator, plainText, sizeLine, sizeOf } from './entries.ts';
import { fenced, threatsIn } from './fence.ts';

export type MemoryTarget = 'memory' | 'user';

export interface MemoryOperation {
  readonly action: 'add' | 'replace' | 'remove';
  readonly content?: string | undefined;
  /** A part of the one entry that is meant. */
  readonly oldText?: string | undefined;
}

export interface MemoryEdit extends MemoryOperation {
  readonly target: MemoryTarget;
}

/** Several operations, all made or none; only what comes out in the end must fit. */
export interface MemoryBatch {
  readonly target: MemoryTarget;
  readonly operations: readonly MemoryOperation[];
}

export type MemoryChange = MemoryEdit | MemoryBatch;

export type ChangeOutcome =
  | { readonly kind: 'changed'; readonly entries: readonly string[]; readonly message: string }
  | { readonly kind: 'unchanged'; readonly message: string }
  | {
      readonly kind: 'refused';
      readonly error: string;
      /** Previews of the entries that the text fits. */
      readonly matches?: readonly string[];
      /** What the model needs to see of what is there: to find the entry that it means, or to make room as well. */
      readonly shows?: 'entries' | 'entries and size';
    };

const previewChars = 80;
// oxlint-disable-next-line no-control-regex -- These are what must not be stored.
const controls = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/;

/** The whole change in a line, for the person who decides about it. */
export function describeMemoryChange(change: MemoryChange): string {
  const { target } = change;
  if ('operations' in change) {
    return change.operations.map((operation) => describeMemoryChange({ ...operation, target })).join('\n');
  }
  const { action, content = '', oldText = '' } = change;
  if (action === 'add') return `add ${target}: ${content}`;
  return action === 'remove' ? `remove ${target}: ${oldText}` : `replace ${target}: ${oldText} → ${content}`;
}

/** What `change` makes of `entries` within `limit` code points. Nothing is ever shortened or dropped to make room. */
export function applyChange(entries: readonly string[], change: MemoryChange, limit: number): ChangeOutcome {
  return 'operations' in change ? applyBatch(entries, change.operations, limit) : applyEdit(entries, change, limit);
}

function applyBatch(entries: readonly string[], operations: readonly MemoryOperation[], limit: number): ChangeOutcome {
  if (operations.length === 0) return refused('operations is empty.');
  for (const [index, operation] of operations.entries()) {
    const threats = operation.action === 'remove' ? [] : threatsIn(operation.content ?? '');
    if (threats.length > 0) return inBatch(index, operation, refused(attack(threats)));
  }
  let current = entries;
  for (const [index, operation] of operations.entries()) {
    const outcome = applyEdit(current, operation, Infinity);
    if (outcome.kind === 'refused') return inBatch(index, operation, outcome);
    if (outcome.kind === 'changed') current = outcome.entries;
  }
  if (sizeOf(current) > limit && sizeOf(current) >= sizeOf(entries)) {
    const error = `Memory would be too full: ${sizeLine(sizeOf(current), limit)} characters after all ${operations.length} operations. Merge or remove more in the same batch.`;
    return { kind: 'refused', error, shows: 'entries and size' };
  }
  const isSame = current.length === entries.length && current.every((entry, index) => entry === entries[index]);
  if (isSame) return { kind: 'unchanged', message: 'Everything is there already; nothing was changed.' };
  return { kind: 'changed', entries: current, message: `Applied ${operations.length} operation(s).` };
}

function inBatch(
  index: number,
  { action }: MemoryOperation,
  outcome: Extract<ChangeOutcome, { kind: 'refused' }>,
): ChangeOutcome {
  return { ...outcome, error: `Operation ${index + 1} (${action}): ${outcome.error} Nothing was changed.` };
}

function applyEdit(entries: readonly string[], change: MemoryOperation, limit: number): ChangeOutcome {
  // Looked at before it is trimmed, which also takes characters away that nobody can see.
  const threats = change.action === 'remove' ? [] : threatsIn(change.content ?? '');
  if (threats.length > 0) return refused(attack(threats));
  const content = plainText(change.content ?? '').trim();
  const oldText = plainText(change.oldText ?? '').trim();
  switch (change.action) {
    case 'add':
      return add(entries, content, limit);
    case 'replace':
      if (oldText === '')
        return { ...refused('old_text is needed: a part of the entry to replace.'), shows: 'entries and size' };
      if (content === '') return refused('content is needed; use remove to delete an entry.');
      return replace(entries, oldText, content, limit);
    case 'remove':
      if (oldText === '')
        return { ...refused('old_text is needed: a part of the entry to remove.'), shows: 'entries and size' };
      return remove(entries, oldText);
  }
}

function add(entries: readonly string[], content: string, limit: number): ChangeOutcome {
  if (content === '') return refused('content is needed.');
  const problem = problemOf(content);
  if (problem !== undefined) return refused(problem);
  if (entries.includes(content)) {
    return { kind: 'unchanged', message: 'Entry already exists (no duplicate added).' };
  }
  const next = [...entries, content];
  if (sizeOf(next) > limit) return tooFull(entries, content, limit);
  return { kind: 'changed', entries: next, message: 'Entry added.' };
}

function replace(entries: readonly string[], oldText: string, content: string, limit: number): ChangeOutcome {
  const problem = problemOf(content);
  if (problem !== undefined) return refused(problem);
  const found = findOne(entries, oldText);
  if (typeof found !== 'number') return found;
  const next = entries.with(found, content);
  const unique = [...new Set(next)];
  // A file that is over the limit by hand may still become smaller.
  if (sizeOf(unique) > limit && sizeOf(unique) >= sizeOf(entries)) return tooFull(entries, content, limit);
  return { kind: 'changed', entries: unique, message: 'Entry replaced.' };
}

function remove(entries: readonly string[], oldText: string): ChangeOutcome {
  const found = findOne(entries, oldText);
  if (typeof found !== 'number') return found;
  return { kind: 'changed', entries: entries.toSpliced(found, 1), message: 'Entry removed.' };
}

/** The place of the one entry that holds the text. */
function findOne(entries: readonly string[], text: string): number | ChangeOutcome {
  const matches = entries.filter((entry) => entry.includes(text));
  const [only] = matches;
  if (only === undefined) return { ...refused(`No entry holds '${preview(text)}'.`), shows: 'entries' };
  if (new Set(matches).size > 1) {
    const previews = matches.map((entry) => preview(fenced(entry)));
    return {
      ...refused(`${matches.length} entries hold '${preview(text)}'; give more of the one you mean.`),
      matches: previews,
    };
  }
  return entries.indexOf(only);
}

function tooFull(entries: readonly string[], content: string, limit: number): ChangeOutcome {
  const size = codePoints(content);
  const error =
    `Memory is full: ${sizeLine(sizeOf(entries), limit)} characters, and the new entry has ${size.toLocaleString('en-US')}. ` +
    'Merge or remove entries with replace or remove, then try again in this same turn.';
  return { kind: 'refused', error, shows: 'entries and size' };
}

/** Why a text may not be an entry, however harmless it is. */
function problemOf(content: string): string | undefined {
  if (holdsSeparator(content)) return 'A line of only § separates entries; add each entry with a call of its own.';
  // A zero byte would make the file a binary one, and a terminal obeys the others.
  if (controls.test(content)) return 'content holds control characters; give plain text.';
  return undefined;
}

function attack(threats: readonly string[]): string {
  return `Blocked: the text reads like an attack on later conversations (${threats.join(', ')}). Nothing was stored.`;
}

function refused(error: string): Extract<ChangeOutcome, { kind: 'refused' }> {
  return { kind: 'refused', error };
}

function preview(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length <= previewChars ? line : `${line.slice(0, previewChars - 1).toWellFormed()}…`;
}
