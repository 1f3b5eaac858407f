/** Text that a command is fed with or prints, as far as the script itself holds it. */
import type { HereDoc, Redirection as RedirectionNode, Word } from 'unbash';
import { UNKNOWN } from './fields.ts';
import type { SimpleCommand } from './simple-command.ts';

/** What a pipe is fed with, when its last part only prints text that is known. */
export function pipedText(from: readonly SimpleCommand[]): string | undefined {
  const last = from.at(-1);
  if (last === undefined) return undefined;
  if (last.name === 'cat' && last.args.length === 0) return last.stdin;
  return printedBy(
    last.name,
    last.args.map((field) => field.text),
  );
}

/** The output of `echo` and `printf` when all of their arguments are known. */
export function printedBy(name: string, args: readonly string[]): string | undefined {
  if (args.some((text) => text.includes(UNKNOWN))) return undefined;
  if (name === 'echo') return unescape(args.filter((text, index) => index > 0 || !/^-[neE]+$/.test(text)).join(' '));
  if (name !== 'printf' || args[0]?.startsWith('-') === true) return undefined;
  const [format = '', ...values] = args;
  let next = 0;
  return unescape(format.replace(/%[sb]/g, () => values[next++] ?? ''));
}

function unescape(text: string): string {
  return text
    .replace(/\\(?:x([\da-f]{1,2})|0?([0-7]{3}))/gi, (_all, hex: string | undefined, octal: string | undefined) =>
      String.fromCharCode(hex === undefined ? Number.parseInt(octal ?? '0', 8) : Number.parseInt(hex, 16)),
    )
    .replaceAll('\\n', '\n')
    .replaceAll('\\t', '\t');
}

/** The text of the last here-document or here-string. */
export function hereText(nodes: readonly RedirectionNode[], expand: (word: Word) => string): string | undefined {
  const node = nodes.findLast((entry) => entry.type !== 'Redirect');
  if (node === undefined) return undefined;
  if (node.type === 'HereDoc') return hereDocumentText(node);
  return node.target === undefined ? undefined : expand(node.target);
}

function hereDocumentText(node: HereDoc): string {
  return node.operator === '<<-' ? node.body.text.replace(/^\t+/gm, '') : node.body.text;
}
