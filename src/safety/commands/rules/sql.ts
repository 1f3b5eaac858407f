/** SQL that destroys data, in whatever is given to a program that may run it. */
import { finding, type Finding } from '../../finding.ts';
import { hasShort, type SimpleCommand, textOf } from '../simple-command.ts';
import type { Rule } from './rule.ts';

/** These print, search or record text; SQL in their arguments is only talked about. */
const onlyText =
  /^(?:echo|printf|cat|grep|egrep|fgrep|rg|ag|ack|git|gh|glab|less|more|head|tail|wc|ls|touch|mkdir|cd|test|\[|man|true|false|diff|tee|cp|mv|ln|sleep|export|read|apropos|which|type|hermes)$/;
const drop = /\bdrop\s+(?:table|database|schema)\b/i;
const deleteFrom = /\bdelete\s+from\b/i;
const where = /\bwhere\b/i;
const truncate = /\btruncate\s+table\b|^[\s"'`(=]*truncate\s+(?:only\s+)?["`[]?[a-z_]/i;
const comment = /(?:^|\s)--\s[^\n]*|\/\*[\s\S]{0,2000}?\*\//g;

export const sql: Rule = (command) => {
  const findings: Finding[] = [];
  for (const statement of textsForDatabase(command).flatMap((text) => text.replace(comment, ' ').split(';'))) {
    if (drop.test(statement)) findings.push(finding('SQL DROP'));
    if (deleteFrom.test(statement) && !where.test(statement.slice(statement.search(deleteFrom)))) {
      findings.push(finding('SQL DELETE without WHERE'));
    }
    if (truncate.test(statement)) findings.push(finding('SQL TRUNCATE'));
  }
  return findings;
};

function textsForDatabase(command: SimpleCommand): string[] {
  if (onlyText.test(command.name)) return [];
  // Typed into a database's prompt, the statement itself is the command.
  const statement = /^(?:drop|delete)$/.test(command.name) || (command.name === 'truncate' && !hasShort(command, 'sr'));
  return [...command.args.map((field) => field.text), command.stdin ?? '', ...(statement ? [textOf(command)] : [])];
}
