/** Where the log ends: what the next line is chained to, and what there is to say about the end that was found. */
import { existsSync, statSync } from 'node:fs';
import { beginning, type Link, maxLineBytes, readLine, sha256 } from './chain.ts';
import type { ResumedEntry } from './entry.ts';
import { type AuditFiles, filesInOrder, readPart } from './files.ts';
import { readSeal } from './seal.ts';

export interface ChainEnd {
  readonly link: Link;
  /** The number of the oldest line that is kept. */
  readonly first: number;
  /** What must be said before anything else; undefined when all is as it was left. */
  readonly resumed: ResumedEntry | undefined;
  /** The last line has no end. */
  readonly open: boolean;
}

/** Reads the end of the newest file and the seal. */
export function findEnd(files: AuditFiles, key: Buffer | undefined): ChainEnd {
  const { last, torn, open } = readEnd(files);
  const seal = readSeal(files, key);
  const tornPart = torn.length === 0 ? {} : { torn: { bytes: torn.length, sha256: sha256(torn) } };
  if (typeof seal === 'string') {
    const isNew = seal === 'none' && last === undefined && torn.length === 0 && !existsSync(files.key);
    return {
      link: last ?? beginning,
      first: 1,
      resumed: isNew ? undefined : { kind: 'resumed', ...tornPart, seal: 'no seal' },
      open,
    };
  }
  const state = compare(last ?? beginning, seal.link);
  return {
    link: { seq: Math.max(seal.link.seq, last?.seq ?? 0), hash: (last ?? beginning).hash },
    first: seal.first,
    resumed:
      state === 'as sealed' && torn.length === 0
        ? undefined
        : { kind: 'resumed', ...tornPart, ...(state === 'as sealed' ? {} : { seal: state }) },
    open,
  };
}

function compare(last: Link, sealed: Link): 'as sealed' | 'unsealed' | 'missing' {
  if (last.seq === sealed.seq && last.hash === sealed.hash) return 'as sealed';
  return last.seq > sealed.seq ? 'unsealed' : 'missing';
}

interface FileEnd {
  /** The last whole line of the chain. */
  readonly last: Link | undefined;
  /** What follows it. */
  readonly torn: Buffer;
  readonly open: boolean;
}

function readEnd(files: AuditFiles): FileEnd {
  // Right after a rotation the new file is not there yet.
  const newest = filesInOrder(files).findLast((path) => statSync(path).size > 0);
  if (newest === undefined) return { last: undefined, torn: Buffer.alloc(0), open: false };
  const { size } = statSync(newest);
  // Most lines are short.
  for (let length = 8192; ; length *= 8) {
    const start = Math.max(0, size - length);
    const end = lastLine(readPart(newest, start, size - start));
    if (end.last !== undefined || start === 0 || length > maxLineBytes) return end;
  }
}

function lastLine(tail: Buffer): FileEnd {
  const open = tail.at(-1) !== lineBreak;
  for (let end = tail.lastIndexOf(lineBreak); end > 0; end = tail.lastIndexOf(lineBreak, end - 1)) {
    const line = readLine(tail.subarray(tail.lastIndexOf(lineBreak, end - 1) + 1, end));
    if (line !== undefined) return { last: line, torn: tail.subarray(end + 1), open };
  }
  return { last: undefined, torn: tail, open };
}

const lineBreak = 0x0a;
