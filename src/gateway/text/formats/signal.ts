/** Signal: text, and where in it each style begins and how long it is, in UTF-16 units. */
import { findFences } from '../markdown/fences.ts';
import { parseInline, type Inline } from '../markdown/inline.ts';
import { readLine } from '../markdown/render.ts';

export interface SignalText {
  readonly text: string;
  /** `start:length:STYLE`, as signal-cli takes them. */
  readonly styles: readonly string[];
}

type SignalStyle = 'BOLD' | 'ITALIC' | 'MONOSPACE' | 'STRIKETHROUGH';

export function toSignal(markdown: string): SignalText {
  const writer = new StyledText();
  let at = 0;
  for (const fence of findFences(markdown)) {
    writeProse(markdown.slice(at, fence.lineStart), writer);
    writer.within('MONOSPACE', () => writer.add(markdown.slice(fence.codeStart, fence.codeEnd)));
    at = fence.end;
  }
  writeProse(markdown.slice(at), writer);
  return { text: writer.text, styles: writer.styles };
}

class StyledText {
  text = '';
  readonly styles: string[] = [];

  add(text: string): void {
    this.text += text;
  }

  /** What `write` adds gets the style. */
  within(style: SignalStyle, write: () => void): void {
    const start = this.text.length;
    const place = this.styles.length;
    write();
    const length = this.text.length - start;
    // An outer style comes before those within it.
    if (length > 0) this.styles.splice(place, 0, `${start}:${length}:${style}`);
  }
}

function writeProse(prose: string, writer: StyledText): void {
  for (const [index, line] of prose
    .replaceAll(/\n{3,}/g, '\n\n')
    .split('\n')
    .entries()) {
    if (index > 0) writer.add('\n');
    writeLine(line, writer);
  }
}

function writeLine(line: string, writer: StyledText): void {
  const read = readLine(line);
  const nodes = parseInline(read.words);
  if (read.kind === 'heading') return writer.within('BOLD', () => writeNodes(nodes, writer));
  if (read.kind === 'bullet') writer.add(`${read.indent}•${read.space}`);
  if (read.kind === 'quote') writer.add(read.marks);
  writeNodes(nodes, writer);
}

function writeNodes(nodes: readonly Inline[], writer: StyledText): void {
  for (const node of nodes) writeNode(node, writer);
}

function writeNode(node: Inline, writer: StyledText): void {
  switch (node.kind) {
    case 'text':
      return writer.add(node.text);
    case 'escaped':
      return writer.add(node.character);
    case 'code':
      return writer.within('MONOSPACE', () => writer.add(node.code));
    case 'link':
    case 'image':
      return writer.add(node.source);
    case 'strong':
      return writer.within('BOLD', () => writeNodes(node.children, writer));
    case 'emphasis':
      return writer.within('ITALIC', () => writeNodes(node.children, writer));
    case 'strike':
      return writer.within('STRIKETHROUGH', () => writeNodes(node.children, writer));
  }
}
