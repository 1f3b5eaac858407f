/** Finds where a shell would run `sudo`, as opposed to where the word only stands. */
import { forEachChild, parse, type SyntaxNode } from 'unbash';

/**
 * Every `sudo` that is run by its bare name reads its password from standard input, and asks for nothing. It takes its line
 * even where it has been given the password a moment ago (`-k`): what one leaves is read by whatever comes next.
 */
const fromInput = "sudo -k -S -p ''";

/** The text with every such call changed, and how many there are. A text that is no shell text has none. */
export function readingPassword(command: string): { readonly command: string; readonly count: number } {
  const script = parse(command);
  if ((script.errors ?? []).length > 0) return { command, count: 0 };
  const starts: number[] = [];
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Command' && node.name !== undefined) {
      const { pos, end } = node.name;
      if (command.slice(pos, end) === 'sudo') starts.push(pos);
    }
    forEachChild(node, visit);
  };
  visit(script);
  const fromEnd = [...new Set(starts)].sort((a, b) => b - a);
  let changed = command;
  for (const at of fromEnd) changed = changed.slice(0, at) + fromInput + changed.slice(at + 'sudo'.length);
  return { command: changed, count: fromEnd.length };
}
