/**
 * What an answer asks to have sent beside its text: files, pictures on the web, voice. Which files may be sent is
 * decided elsewhere; what stands in code is left alone.
 */
import { codeRanges, isWithin, type Range } from './markdown/code-ranges.ts';
import { linkReader } from './markdown/spans.ts';
import { isPictureUrl, mediaExtensions } from './media-extensions.ts';

export interface FileMark extends Range {
  readonly path: string;
  /**
   * A `MEDIA:` mark with a known ending goes out of the text even when its file may not be sent. Any other mark, and a
   * path without a mark, is a file only if there is one that may be sent; else it stays text.
   */
  readonly certain: boolean;
}

export interface PictureMark extends Range {
  readonly url: string;
  readonly alt: string;
}

export interface FoundMedia {
  readonly answer: string;
  readonly files: readonly FileMark[];
  readonly pictures: readonly PictureMark[];
  /** `[[audio_as_voice]]`: audio is sent as a voice message. */
  readonly asVoice: boolean;
  /** `[[as_document]]`: pictures are sent as files, unchanged. */
  readonly asDocument: boolean;
  /** Where those two stand. */
  readonly switches: readonly Range[];
}

export interface AnswerMedia extends Pick<FoundMedia, 'asVoice' | 'asDocument'> {
  /** What is left to say. */
  readonly text: string;
  /** In the order of the answer, each once. */
  readonly files: readonly string[];
  readonly pictures: readonly { readonly url: string; readonly alt: string }[];
}

/** @param home the user's home directory, for paths that begin with `~/` */
export function findMedia(answer: string, home: string): FoundMedia {
  const code = codeRanges(answer);
  const switches = matches(answer, SWITCH, code);
  const tagged = findTags(answer, code, home);
  const pictures = [...markdownPictures(answer, code), ...htmlPictures(answer, code)].sort(byPlace);
  const taken = [...switches, ...tagged, ...pictures, ...code].sort(byPlace);
  const has = (word: string): boolean => switches.some(({ start, end }) => answer.slice(start, end).includes(word));
  return {
    answer,
    files: [...tagged, ...findBarePaths(answer, taken, home)].sort(byPlace),
    pictures,
    asVoice: has('audio_as_voice'),
    asDocument: has('as_document'),
    switches,
  };
}

/** Takes the marks out of the text; of those that are not certain only those that are accepted. */
export function takeMedia(found: FoundMedia, isAccepted: (mark: FileMark) => boolean = () => false): AnswerMedia {
  const files = found.files.filter((mark) => mark.certain || isAccepted(mark));
  const gone = [...found.switches, ...files, ...found.pictures].sort(byPlace);
  return {
    text: gone.length === 0 ? found.answer : without(found.answer, gone),
    files: [...new Set(files.map(({ path }) => path))],
    pictures: found.pictures.map(({ url, alt }) => ({ url, alt })),
    asVoice: found.asVoice,
    asDocument: found.asDocument,
  };
}

const SWITCH = /\[\[(?:audio_as_voice|as_document)\]\]/g;
const TAG = /(?<!\w)MEDIA:[ \t]*/gi;
const ENDINGS = mediaExtensions.join('|');
const ROOT = String.raw`(?:~?/|[A-Za-z]:[\\/])`;
const QUOTED = new RegExp(String.raw`(["'\`])(${ROOT}[^\n"'\`]{1,1024}?)\1`, 'y');
// Spaces may be part of a path, but not where another path or mark begins behind them.
const CHARACTER = String.raw`(?!\s+(?:MEDIA:|${ROOT}))[^\n"'\`<>]`;
const PLAIN = new RegExp(String.raw`(${ROOT}(?:${CHARACTER}){0,1024}?\.(?:${ENDINGS}))(?=[\s,;:!?)\]}"'\`]|$)`, 'iy');
const UNSURE = new RegExp(String.raw`(${ROOT}[^\s"'\`<>]{1,1024})`, 'y');
const BARE = new RegExp(String.raw`(?<![\w/.:~\\-])(~?/[^\s"'\`<>()[\]]{1,1024}?\.(?:${ENDINGS}))(?![\w/-])`, 'gi');
const HTML_PICTURE = /<img\b[^<>]{1,4000}>/gi;
const SRC = /\bsrc\s*=\s*(["'])(.*?)\1/i;

function findTags(answer: string, code: readonly Range[], home: string): FileMark[] {
  const marks: FileMark[] = [];
  for (const { start, end } of matches(answer, TAG, code)) {
    const mark = isInJson(answer, start) ? undefined : readTag(answer, start, end, home);
    if (mark !== undefined) marks.push(mark);
  }
  return marks;
}

function readTag(answer: string, start: number, at: number, home: string): FileMark | undefined {
  const quoted = matchAt(QUOTED, answer, at);
  if (quoted?.[2] !== undefined) {
    return { start, end: at + quoted[0].length, path: expand(quoted[2], home), certain: hasEnding(quoted[2]) };
  }
  const plain = matchAt(PLAIN, answer, at)?.[1];
  if (plain !== undefined) return { start, end: at + plain.length, path: expand(plain, home), certain: true };
  const unsure = matchAt(UNSURE, answer, at)?.[1]?.replace(/[.,;:!?)\]}]+$/, '');
  if (unsure === undefined) return undefined;
  return { start, end: at + unsure.length, path: expand(unsure, home), certain: false };
}

function findBarePaths(answer: string, taken: readonly Range[], home: string): FileMark[] {
  return [...answer.matchAll(BARE)]
    .filter(({ index }) => !isWithin(taken, index))
    .map(({ index, 0: path }) => ({
      start: index,
      end: index + path.length,
      path: expand(path, home),
      certain: false,
    }));
}

function markdownPictures(answer: string, code: readonly Range[]): PictureMark[] {
  const marks: PictureMark[] = [];
  const linkAt = linkReader(answer);
  for (const { start } of matches(answer, /!\[/g, code)) {
    const link = linkAt(start + 1);
    if (link !== undefined && isPictureUrl(link.url))
      marks.push({ start, end: link.end, url: link.url, alt: link.label });
  }
  return marks;
}

function htmlPictures(answer: string, code: readonly Range[]): PictureMark[] {
  return matches(answer, HTML_PICTURE, code).flatMap(({ start, end }) => {
    const url = SRC.exec(answer.slice(start, end))?.[2] ?? '';
    return isPictureUrl(url) ? [{ start, end, url, alt: '' }] : [];
  });
}

/** True in a string of JSON that is shown on this line. */
function isInJson(answer: string, place: number): boolean {
  const near = answer.slice(Math.max(0, place - 2000), place);
  const before = near.slice(near.lastIndexOf('\n') + 1);
  const quotes = [...before.matchAll(/(?<!\\)"/g)];
  const opening = quotes.at(-1);
  if (opening === undefined || quotes.length % 2 === 0) return false;
  return /[:,[{]\s*$/.test(before.slice(0, opening.index));
}

function matches(text: string, pattern: RegExp, code: readonly Range[]): Range[] {
  return [...text.matchAll(pattern)]
    .map(({ index, 0: whole }) => ({ start: index, end: index + whole.length }))
    .filter(({ start }) => !isWithin(code, start));
}

function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray | null {
  const pattern = new RegExp(sticky);
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function hasEnding(path: string): boolean {
  return mediaExtensions.includes(/\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '');
}

function expand(path: string, home: string): string {
  return path.startsWith('~/') ? home + path.slice(1) : path;
}

/** What is left reads as if the marks had never been there: no second space, no line that held nothing else. */
function without(text: string, gone: readonly Range[]): string {
  let done = '';
  // All that the next piece may change. With the whole text in its place many marks would take time that grows with the square.
  let last = '';
  let at = 0;
  const join = (piece: string): void => {
    const whole = joined(last, piece);
    const settled = Math.max(0, endOfWords(whole) - 2);
    done += whole.slice(0, settled);
    last = whole.slice(settled);
  };
  for (const { start, end } of gone) {
    if (start < at) continue;
    join(text.slice(at, start));
    at = end;
  }
  join(text.slice(at));
  return (done + last).trim();
}

/** Where the spaces at the end begin; the same as an expression would look again at each space within. */
function endOfWords(text: string): number {
  let end = text.length;
  while (end > 0 && (text[end - 1] === ' ' || text[end - 1] === '\t')) end -= 1;
  return end;
}

function joined(left: string, right: string): string {
  if (left === '') return right.trimStart();
  const before = left.slice(0, endOfWords(left));
  if (before === '' || before.endsWith('\n')) {
    const rest = right.replace(/^[ \t]+/, '');
    return before + (before.endsWith('\n\n') ? rest.replace(/^\n+/, '') : rest.replace(/^\n/, ''));
  }
  return before === left ? left + right : before + (/^\s/.test(right) ? right : ` ${right}`);
}

function byPlace(one: Range, other: Range): number {
  return one.start - other.start;
}
