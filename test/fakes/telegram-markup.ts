/** MarkdownV2 as the Bot API reads it, with what it refuses. https://core.telegram.org/bots/api#markdownv2-style */

export interface Entity {
  readonly type: string;
  /** In UTF-16 code units. */
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
  readonly language?: string;
}

/** The message is what Telegram says after `can't parse entities: `. */
export class MarkupError extends Error {}

const reserved = new Set('_*[]()~`>#+-=|{}.!');

interface Open {
  readonly type: string;
  readonly offset: number;
  readonly at: number;
}

/** Throws `MarkupError`. */
export function parseMarkdownV2(source: string): { readonly text: string; readonly entities: readonly Entity[] } {
  const entities: Entity[] = [];
  const open: Open[] = [];
  let text = '';
  let at = 0;

  const close = (more: Partial<Entity> = {}): void => {
    const { type, offset } = open.pop() ?? { type: '', offset: 0 };
    if (text.length > offset) entities.push({ type, offset, length: text.length - offset, ...more });
  };
  const unclosed = ({ type, at: start }: Open): never => {
    const name = type.replaceAll(/(?:^|_)./g, (part) => part.replace('_', '').toUpperCase());
    const byte = Buffer.byteLength(source.slice(0, start));
    throw new MarkupError(`Can't find end of ${name} entity at byte offset ${byte}`);
  };
  const toggle = (type: string, mark: string): void => {
    at += mark.length;
    if (open.at(-1)?.type === type) close();
    else open.push({ type, offset: text.length, at: at - mark.length });
  };
  const lineStarts = (): boolean => text === '' || text.endsWith('\n');

  while (at < source.length) {
    const char = source[at] ?? '';
    const next = source[at + 1];
    if (char === '\\' && next !== undefined && next.charCodeAt(0) > 0 && next.charCodeAt(0) <= 126) {
      text += next;
      at += 2;
    } else if (char === '\n' && open.some(({ type }) => type === 'blockquote')) {
      // Goes on in the next line only with another `>`; what was opened within it ends within it.
      const last = open.at(-1);
      if (next !== '>' && last !== undefined && last.type !== 'blockquote') unclosed(last);
      if (next !== '>') close();
      text += char;
      at += next === '>' ? 2 : 1;
    } else if (!reserved.has(char)) {
      text += char;
      at += 1;
    } else if (source.startsWith('```', at)) readPre();
    else if (char === '`') readCode();
    else if (source.startsWith('__', at) && open.at(-1)?.type !== 'italic') toggle('underline', '__');
    else if (char === '_') toggle('italic', '_');
    else if (char === '*') toggle('bold', '*');
    else if (char === '~') toggle('strikethrough', '~');
    else if (source.startsWith('||', at)) toggle('spoiler', '||');
    else if (char === '[') {
      open.push({ type: 'text_link', offset: text.length, at });
      at += 1;
    } else if (char === ']' && open.at(-1)?.type === 'text_link') closeLink();
    else if (char === '>' && lineStarts() && open.every(({ type }) => type !== 'blockquote')) {
      open.push({ type: 'blockquote', offset: text.length, at });
      at += 1;
    } else throw new MarkupError(`Character '${char}' is reserved and must be escaped with the preceding '\\'`);
  }
  if (open.at(-1)?.type === 'blockquote') close();
  const last = open.at(-1);
  if (last !== undefined) unclosed(last);
  return { text, entities };

  function closeLink(): void {
    const start = open.at(-1) ?? { type: '', offset: 0, at };
    at += 1;
    if (source[at] !== '(') {
      // Without an address the brackets are only shown.
      close({ type: 'none' });
      entities.pop();
      return;
    }
    at += 1;
    let url = '';
    for (;;) {
      const char = source[at];
      if (char === undefined) unclosed(start);
      if (char === ')') break;
      if (char === '\\' && source[at + 1] !== undefined) at += 1;
      url += source[at];
      at += 1;
    }
    at += 1;
    close({ url });
  }

  function readCode(): void {
    const start = { type: 'code', offset: text.length, at };
    at += 1;
    text += readUntil('`', start);
    if (text.length > start.offset)
      entities.push({ type: 'code', offset: start.offset, length: text.length - start.offset });
  }

  function readPre(): void {
    const start = { type: 'pre', offset: text.length, at };
    at += 3;
    const language = /^[^\s`]+(?=\n)/.exec(source.slice(at))?.[0] ?? '';
    at += language.length;
    if (source[at] === '\n') at += 1;
    text += readUntil('```', start);
    const { offset } = start;
    entities.push({ type: 'pre', offset, length: text.length - offset, ...(language === '' ? {} : { language }) });
  }

  function readUntil(end: string, start: Open): string {
    let inside = '';
    while (!source.startsWith(end, at)) {
      if (at >= source.length) unclosed(start);
      if (source[at] === '\\' && at + 1 < source.length) at += 1;
      else if (source[at] === '`' && end === '`') unclosed(start);
      inside += source[at];
      at += 1;
    }
    at += end.length;
    return inside;
  }
}
