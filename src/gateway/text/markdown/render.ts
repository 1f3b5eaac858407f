/** Writes an answer anew in the marks of a platform; what a style does not speak of stays as it was written. */
import { findFences, type Fence } from './fences.ts';
import { parseInline, type Inline } from './inline.ts';

/** How each thing is written. A part's words come already written in the same style. */
export interface Style {
  text(text: string): string;
  escaped(character: string): string;
  code(code: string, source: string): string;
  strong(words: string, mark: string): string;
  emphasis(words: string, mark: string): string;
  strike(words: string, mark: string): string;
  link(url: string, words: string, source: string): string;
  image(url: string, alt: string, source: string): string;
  /** A whole line; `flat` are its words without bold, for where the heading itself is bold. */
  heading(words: string, marks: string, flat: string): string;
  /** What stands before the words of a list entry. */
  bullet(indent: string, mark: string, space: string): string;
  quote(marks: string): string;
  block(code: string, fence: Fence, source: string): string;
}

/** Everything as the model wrote it. */
export const asWritten: Style = {
  text: (text) => text,
  escaped: (character) => `\\${character}`,
  code: (_, source) => source,
  strong: (words, mark) => mark + words + mark,
  emphasis: (words, mark) => mark + words + mark,
  strike: (words, mark) => mark + words + mark,
  link: (_, __, source) => source,
  image: (_, __, source) => source,
  heading: (words, marks) => marks + words,
  bullet: (indent, mark, space) => indent + mark + space,
  quote: (marks) => marks,
  block: (_, __, source) => source,
};

export function render(markdown: string, style: Style): string {
  return mapBlocks(
    markdown,
    (prose) =>
      prose
        .split('\n')
        .map((line) => renderLine(line, style))
        .join('\n'),
    (fence) => {
      const code = markdown.slice(fence.codeStart, fence.codeEnd);
      return style.block(code, fence, markdown.slice(fence.lineStart, fence.end));
    },
  );
}

function renderInline(nodes: readonly Inline[], style: Style): string {
  return nodes.map((node) => renderNode(node, style)).join('');
}

/** The text with its prose and its code blocks replaced. */
export function mapBlocks(text: string, prose: (text: string) => string, block: (fence: Fence) => string): string {
  let out = '';
  let at = 0;
  for (const fence of findFences(text)) {
    out += prose(text.slice(at, fence.lineStart)) + block(fence);
    at = fence.end;
  }
  return out + prose(text.slice(at));
}

type Line =
  | { readonly kind: 'heading'; readonly marks: string; readonly words: string }
  | {
      readonly kind: 'bullet';
      readonly indent: string;
      readonly mark: string;
      readonly space: string;
      readonly words: string;
    }
  | { readonly kind: 'quote'; readonly marks: string; readonly words: string }
  | { readonly kind: 'words'; readonly words: string };

/** What kind of line it is. A quote or a list entry may itself begin like another line; that is left as text. */
export function readLine(line: string): Line {
  const heading = /^(#{1,6}[ \t]+)(\S.*)$/.exec(line);
  if (heading !== null) return { kind: 'heading', marks: heading[1] ?? '', words: heading[2] ?? '' };
  const bullet = /^([ \t]*)([-*+])([ \t]+)(.*)$/s.exec(line);
  if (bullet !== null) {
    const [, indent = '', mark = '', space = '', words = ''] = bullet;
    return { kind: 'bullet', indent, mark, space, words };
  }
  const quote = /^((?:>[ \t]?)+)(.*)$/s.exec(line);
  if (quote !== null) return { kind: 'quote', marks: quote[1] ?? '', words: quote[2] ?? '' };
  return { kind: 'words', words: line };
}

/** Bold cannot stand in bold. */
function withoutStrong(nodes: readonly Inline[]): readonly Inline[] {
  return nodes.flatMap((node): readonly Inline[] => (node.kind === 'strong' ? withoutStrong(node.children) : [node]));
}

function renderLine(line: string, style: Style): string {
  const read = readLine(line);
  const nodes = parseInline(read.words);
  switch (read.kind) {
    case 'heading':
      return style.heading(renderInline(nodes, style), read.marks, renderInline(withoutStrong(nodes), style));
    case 'bullet':
      return style.bullet(read.indent, read.mark, read.space) + renderInline(nodes, style);
    case 'quote':
      return style.quote(read.marks) + renderInline(nodes, style);
    case 'words':
      return renderInline(nodes, style);
  }
}

function renderNode(node: Inline, style: Style): string {
  switch (node.kind) {
    case 'text':
      return style.text(node.text);
    case 'escaped':
      return style.escaped(node.character);
    case 'code':
      return style.code(node.code, node.source);
    case 'link':
      return style.link(node.url, renderInline(node.children, style), node.source);
    case 'image':
      return style.image(node.url, node.alt, node.source);
    case 'strong':
    case 'emphasis':
    case 'strike':
      return style[node.kind](renderInline(node.children, style), node.mark);
  }
}
