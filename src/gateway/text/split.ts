/** Splits an answer into messages of a platform's length, without breaking code blocks, code, links or characters. */
import { measure, endWithin, type LengthUnit } from './length.ts';
import { fenceAt, findFences, type Fence } from './markdown/fences.ts';
import { codeSpanAt, linkReader, runOf, type LinkReader } from './markdown/spans.ts';

export interface SplitOptions {
  /** Longest message in `unit`; 0 means no limit. */
  readonly limit: number;
  readonly unit: LengthUnit;
}

/** One message: a piece of the text and what is put around it. */
export interface Part {
  readonly start: number;
  readonly end: number;
  /** Opens again the code block within which the piece begins. */
  readonly head: string;
  /** Closes the code block within which it ends. */
  readonly tail: string;
  /** ` (1/3)`; empty for a text of one part, and where the limit leaves no room for it. */
  readonly mark: string;
}

/** The messages, in order; joined and without marks they are the text but for white space at the cuts. */
export function splitText(text: string, options: SplitOptions): string[] {
  return cutText(text, options).map((part) => bodyOf(text, part) + part.mark);
}

/** A part without its mark. */
export function bodyOf(text: string, { start, end, head, tail }: Part): string {
  return head + text.slice(start, end) + tail;
}

/** The same as places in the text, for whoever formats each part before it is sent. */
export function cutText(text: string, { limit, unit }: SplitOptions): Part[] {
  if (limit <= 0 || endWithin(text, 0, limit, unit) === text.length) {
    return [{ start: 0, end: text.length, head: '', tail: '', mark: '' }];
  }
  const fences = findFences(text);
  for (const layout of layoutsFor(limit, unit)) {
    const pieces = cutAll(text, fences, layout);
    const marked = pieces.map((piece, index) => ({ ...piece, mark: markOf(index, pieces.length, layout) }));
    if (marked.every((part) => measure(bodyOf(text, part) + part.mark, unit) <= limit)) return marked;
  }
  return cutAll(text, [], { limit, unit, markRoom: 0, halve: false, fences: false }).map((piece) => ({
    ...piece,
    mark: '',
  }));
}

interface Layout extends SplitOptions {
  /** Kept free in every part; 0 means that parts carry no mark. */
  readonly markRoom: number;
  /** Where the mark and a closing fence leave nothing, half the limit is used, as the original does. */
  readonly halve: boolean;
  /** False where there is no room to close and open blocks. */
  readonly fences: boolean;
}

type Piece = Omit<Part, 'mark'>;

/** ` (99/99)` and two to spare, as the original counts. */
const MARK_ROOM = 10;
const CLOSING_ROOM = 4;

/** The original's way first. Limits so small that its parts come out too long get ever smaller marks, then none. */
function layoutsFor(limit: number, unit: LengthUnit): Layout[] {
  const shared = { limit, unit, halve: false, fences: true };
  const small = [6, 8, 10, 12, 14].map((markRoom) => ({ ...shared, markRoom }));
  const usable = small.filter(({ markRoom }) => limit - markRoom - CLOSING_ROOM >= Math.max(4, limit / 4));
  return [{ ...shared, markRoom: MARK_ROOM, halve: true }, ...usable, { ...shared, markRoom: 0 }];
}

function markOf(index: number, count: number, { markRoom }: Layout): string {
  return count === 1 || markRoom === 0 ? '' : ` (${index + 1}/${count})`;
}

function cutAll(text: string, found: readonly Fence[], layout: Layout): Piece[] {
  const tools: Tools = { segmenter: new Intl.Segmenter(), linkAt: linkReader(text) };
  const fences = found.filter((fence) => reopening(fence, layout) !== '');
  const pieces: Piece[] = [];
  let start = 0;
  let open: Fence | undefined;
  while (start < text.length) {
    const head = open === undefined ? '' : reopening(open, layout);
    const last = lastPiece(text, start, head, layout);
    if (last !== undefined) return [...pieces, last];
    const closingRoom = Math.max(
      fences.length === 0 && !layout.halve ? 0 : CLOSING_ROOM,
      (open?.marker.length ?? 0) + 1,
    );
    const windowEnd = endWithin(text, start, roomFor(layout, measure(head, layout.unit) + closingRoom), layout.unit);
    const cut = chooseCut(text, fences, tools, { start, end: windowEnd });
    open = cut.open;
    pieces.push({ start, end: cut.end, head, tail: tailOf(head + text.slice(start, cut.end), layout) });
    start = cut.next;
  }
  return pieces;
}

function lastPiece(text: string, start: number, head: string, layout: Layout): Piece | undefined {
  const room = layout.limit - layout.markRoom - measure(head, layout.unit);
  if (room <= 0 || endWithin(text, start, room, layout.unit) < text.length) return undefined;
  const tail = tailOf(head + text.slice(start), layout);
  return measure(text.slice(start) + tail, layout.unit) > room ? undefined : { start, end: text.length, head, tail };
}

/** Closes what is open at the end of a piece; also a line of backticks that only looks like a fence since it was cut. */
function tailOf(body: string, { fences }: Layout): string {
  const open = fences ? findFences(body).findLast(({ closed }) => !closed) : undefined;
  return open === undefined ? '' : `\n${open.marker}`;
}

function roomFor({ limit, markRoom, halve }: Layout, taken: number): number {
  const room = limit - markRoom - taken;
  return room > 0 ? room : halve ? Math.floor(limit / 2) : 1;
}

/** The line that opens a block again: without its language, or not at all, where it would take most of the message. */
function reopening({ marker, info }: Fence, layout: Layout): string {
  const most = (layout.limit - layout.markRoom) / 2;
  const lines = [`${marker}${info}\n`, `${marker}\n`];
  // No unit counts less than one for two characters; measuring is left out where that is known to be too much.
  const fits = (line: string): boolean =>
    line.length <= 2 * most && measure(line, layout.unit) + marker.length + 1 <= most;
  return lines.find(fits) ?? '';
}

/** Made once for all cuts in a text. */
interface Tools {
  readonly segmenter: Intl.Segmenter;
  readonly linkAt: LinkReader;
}

interface Window {
  readonly start: number;
  readonly end: number;
}

interface Cut {
  readonly end: number;
  /** Where the next part begins. */
  readonly next: number;
  /** The block that the next part has to open again. */
  readonly open?: Fence;
}

function chooseCut(text: string, fences: readonly Fence[], tools: Tools, window: Window): Cut {
  const { segmenter } = tools;
  const wanted = beforeFence(text, fences, window, atBreak(text, window));
  const fence = fenceAt(fences, wanted);
  if (fence !== undefined) return cutInFence(text, fence, segmenter, window, wanted);
  const end = betweenCharacters(
    text,
    segmenter,
    window,
    besideSpans(text, spansIn(text, fences, tools.linkAt, window), window, wanted),
  );
  return { end, next: skipWhite(text, end) };
}

/** The last line break if it is in the second half, else the last space, else the end of the window. */
function atBreak(text: string, { start, end }: Window): number {
  // A slice: looking back in the whole text would take time that grows with its square.
  const piece = text.slice(start, end);
  const line = piece.lastIndexOf('\n');
  if (line >= Math.max(1, Math.floor(piece.length / 2))) return start + line;
  const space = piece.lastIndexOf(' ');
  return space > 0 ? start + space : end;
}

/** A block that would be broken right after its beginning goes to the next part whole, if enough stays in this one. */
function beforeFence(text: string, fences: readonly Fence[], window: Window, cut: number): number {
  const fence = fenceAt(fences, cut);
  if (fence === undefined || fence.lineStart <= window.start) return cut;
  const early = cut < fence.codeStart || fence.lineStart - window.start > (window.end - window.start) / 4;
  const before = fence.lineStart - 1;
  return early && text.slice(window.start, before).trim() !== '' ? before : cut;
}

/** Code keeps its white space: only the line break at the cut goes. */
function cutInFence(text: string, fence: Fence, segmenter: Intl.Segmenter, window: Window, wanted: number): Cut {
  // Right behind the opening line nothing of the code would be in this part.
  const place = wanted <= fence.codeStart && window.start <= fence.markerAt ? window.end : wanted;
  const end = Math.min(betweenCharacters(text, segmenter, window, place), Math.max(fence.codeEnd, window.start + 1));
  const next = text.startsWith('\r\n', end) ? end + 2 : text[end] === '\n' ? end + 1 : end;
  if (fence.closed && skipWhite(text, next) >= fence.codeEnd) {
    return { end, next: skipWhite(text, fence.end) };
  }
  return { end, next, open: fence };
}

function skipWhite(text: string, from: number): number {
  const black = /\S/g;
  black.lastIndex = from;
  return black.exec(text)?.index ?? text.length;
}

/** Moves a cut out of a code span or a link, to a space before it if enough stays, else right before it. */
function besideSpans(text: string, spans: readonly Window[], window: Window, wanted: number): number {
  const quarter = (window.end - window.start) / 4;
  let cut = wanted;
  for (const span of spans.toReversed()) {
    if (span.start >= cut || span.end <= cut) continue;
    const before = text.slice(window.start, span.start);
    const space = Math.max(before.lastIndexOf(' '), before.lastIndexOf('\n'));
    const fitsWhole = span.end - span.start <= window.end - window.start;
    if (space > quarter) cut = window.start + space;
    else if (span.start > window.start && fitsWhole) cut = span.start;
  }
  return cut;
}

/** Code spans and links that begin in the window, outside code blocks. */
function spansIn(text: string, fences: readonly Fence[], linkAt: LinkReader, window: Window): Window[] {
  const spans: Window[] = [];
  for (let at = window.start; at < window.end; ) {
    const fence = fenceAt(fences, at + 1);
    const span = text[at] === '`' ? codeSpanAt(text, at) : text[at] === '[' ? linkAt(at) : undefined;
    if (fence === undefined && span !== undefined) {
      spans.push({ start: text[at - 1] === '!' ? at - 1 : at, end: span.end });
    }
    at = fence?.end ?? span?.end ?? at + (text[at] === '\\' ? 2 : Math.max(1, runOf(text, at, '`')));
  }
  return spans;
}

/** Moves a cut out of what is shown as one character, such as a family of emoji, unless that is the whole window. */
function betweenCharacters(text: string, segmenter: Intl.Segmenter, { start }: Window, cut: number): number {
  // Enough behind the cut to see whether it is within a cluster.
  const around = segmenter.segment(text.slice(start, cut + 64)).containing(cut - start);
  return around === undefined || around.index === 0 ? cut : start + around.index;
}
