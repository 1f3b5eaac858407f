/**
 * The marks within one line of an answer, as a tree that keeps how each was written. More forgiving than CommonMark:
 * bold needs no space beside Chinese or Japanese text, and the stars of `2*3*4` are no marks.
 */
import { codeSpanAt, linkReader, runOf, type LinkReader } from './spans.ts';

export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'escaped'; readonly character: string }
  | { readonly kind: 'code'; readonly code: string; readonly source: string }
  | { readonly kind: 'strong' | 'emphasis' | 'strike'; readonly mark: string; readonly children: readonly Inline[] }
  | { readonly kind: 'link'; readonly url: string; readonly children: readonly Inline[]; readonly source: string }
  | { readonly kind: 'image'; readonly url: string; readonly alt: string; readonly source: string };

export function parseInline(line: string): readonly Inline[] {
  return parse(line, MAX_DEPTH);
}

/** Deeper marks are text: nobody writes them, and each level takes a part of the stack. */
const MAX_DEPTH = 8;
const ESCAPABLE = '*_~`';
const ADDRESS = /https?:\/\/(?:(?!\*\*|~~)[^\s<>`])+/y;
const WORD = /[\p{L}\p{N}]/u;
const ASCII_WORD = /[A-Za-z0-9]/;

/** A line, or the words within a mark, while it is read. */
interface Reading {
  readonly line: string;
  readonly linkAt: LinkReader;
  /** How many marks may still be within each other. */
  readonly depth: number;
  /** Marks that nothing closes: looking for their ends again and again would take time that grows with the square. */
  readonly unclosed: Set<string>;
}

interface Found {
  readonly node: Inline;
  readonly end: number;
}

function parse(line: string, depth: number): readonly Inline[] {
  const nodes: Inline[] = [];
  const reading: Reading = { line, linkAt: linkReader(line), depth, unclosed: new Set() };
  let text = '';
  let at = 0;
  while (at < line.length) {
    const found = depth === 0 ? undefined : nodeAt(reading, at);
    if (found === undefined) {
      const end = skipAt(line, at);
      text += line.slice(at, end);
      at = end;
      continue;
    }
    if (text !== '') nodes.push({ kind: 'text', text });
    text = '';
    nodes.push(found.node);
    at = found.end;
  }
  return text === '' ? nodes : [...nodes, { kind: 'text', text }];
}

function nodeAt(reading: Reading, at: number): Found | undefined {
  const { line } = reading;
  const character = line.charAt(at);
  const next = line.charAt(at + 1);
  if (character === '\\' && next !== '' && ESCAPABLE.includes(next)) {
    return { node: { kind: 'escaped', character: next }, end: at + 2 };
  }
  if (character === '`') return codeNode(line, at);
  if (character === '!' && next === '[') return imageNode(reading, at);
  if (character === '[') return linkNode(reading, at);
  if (character !== '*' && character !== '_' && character !== '~') return undefined;
  return markedNode(reading, at);
}

/** The end of what is text without a look: an address holds stars and underscores, and a run of backticks is one mark. */
function skipAt(line: string, at: number): number {
  if (line[at] === 'h') {
    ADDRESS.lastIndex = at;
    const address = ADDRESS.exec(line)?.[0].replace(/[*_~.,;:!?)\]]+$/, '') ?? '';
    if (address !== '') return at + address.length;
  }
  const run = '`*_~'.includes(line.charAt(at)) ? runOf(line, at, line.charAt(at)) : 1;
  return at + run;
}

function codeNode(line: string, at: number): Found | undefined {
  const span = codeSpanAt(line, at);
  if (span === undefined || span.code.trim() === '') return undefined;
  return { node: { kind: 'code', code: span.code, source: line.slice(at, span.end) }, end: span.end };
}

function imageNode({ line, linkAt }: Reading, at: number): Found | undefined {
  const link = linkAt(at + 1);
  if (link === undefined) return undefined;
  return { node: { kind: 'image', url: link.url, alt: link.label, source: line.slice(at, link.end) }, end: link.end };
}

function linkNode({ line, linkAt, depth }: Reading, at: number): Found | undefined {
  const link = linkAt(at);
  if (link === undefined) return undefined;
  const children = parse(link.label, depth - 1);
  return { node: { kind: 'link', url: link.url, children, source: line.slice(at, link.end) }, end: link.end };
}

function markedNode(reading: Reading, at: number): Found | undefined {
  const { line, depth, unclosed } = reading;
  const character = line.charAt(at);
  const run = runOf(line, at, character);
  if (run > 3 || (character === '~' && run !== 2)) return undefined;
  // `***both***` is bold around italic, whose mark is one character.
  const mark = character.repeat(Math.min(run, 2));
  const wanted = character.repeat(run);
  if (unclosed.has(wanted) || !opens(line, at, wanted)) return undefined;
  const close = closeOf(reading, at + run, wanted);
  if (close === undefined) {
    unclosed.add(wanted);
    return undefined;
  }
  const inside = parse(line.slice(at + run, close), depth - 1);
  const children = run === 3 ? [{ kind: 'emphasis' as const, mark: character, children: inside }] : inside;
  const kind = character === '~' ? 'strike' : run === 1 ? 'emphasis' : 'strong';
  return { node: { kind, mark, children }, end: close + run };
}

function opens(line: string, at: number, mark: string): boolean {
  const before = line.charAt(at - 1);
  const after = line.charAt(at + mark.length);
  if (after === '' || /\s/.test(after)) return false;
  if (mark.startsWith('_')) return !WORD.test(before);
  if (mark === '*') return !ASCII_WORD.test(before);
  return mark !== '**' || !(/\d/.test(before) && /\d/.test(after));
}

function closeOf(reading: Reading, from: number, mark: string): number | undefined {
  const { line } = reading;
  const character = mark.charAt(0);
  for (let at = from; at < line.length; ) {
    if (line[at] === character) {
      const run = runOf(line, at, character);
      const place = closingPlace(at, run, mark.length);
      if (place !== undefined && place > from && closes(line, place, mark)) return place;
      at += run;
    } else {
      at = pastAtom(reading, at);
    }
  }
  return undefined;
}

/** Of a longer run the last characters close the outer mark. */
function closingPlace(at: number, run: number, length: number): number | undefined {
  if (run === length) return at;
  return run === 3 && length < 3 ? at + 3 - length : undefined;
}

function closes(line: string, at: number, mark: string): boolean {
  if (/\s/.test(line.charAt(at - 1))) return false;
  const after = line.charAt(at + mark.length);
  if (mark.startsWith('_')) return !WORD.test(after);
  return mark !== '*' || !ASCII_WORD.test(after);
}

/** Marks within code, links and addresses close nothing outside. */
function pastAtom({ line, linkAt }: Reading, at: number): number {
  if (line[at] === '\\') return at + 2;
  if (line[at] === '`') return codeSpanAt(line, at)?.end ?? skipAt(line, at);
  if (line[at] === '[') return linkAt(at)?.end ?? at + 1;
  return line[at] === 'h' ? skipAt(line, at) : at + 1;
}
