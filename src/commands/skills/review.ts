/** Changes to skills that wait for the user: shown, compared, made or thrown away. */
import { UserError } from '../../lib/errors.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import type { SkillLibrary } from '../../skills/skill-library.ts';
import type { CommandContext } from '../command.ts';
import { shown } from './skills-surface.ts';

const verbs = ['pending', 'diff', 'approve', 'reject', 'approval'] as const;
type ReviewVerb = (typeof verbs)[number];

export function isReviewVerb(word: string): word is ReviewVerb {
  return verbs.some((verb) => verb === word);
}

/** Throws `UserError` for words that it does not know. */
export async function reviewSkills(context: CommandContext, verb: ReviewVerb, words: readonly string[]): Promise<void> {
  const { session, ui, settings } = context;
  const [what = '', ...rest] = words;
  if (rest.length > 0 || (what === '') !== (verb === 'pending')) throw usage();
  if (verb === 'approval') {
    if (what !== 'on' && what !== 'off') throw usage();
    await settings.save([{ path: ['skills', 'write_approval'], value: what === 'on' }]);
    ui.print(`From the next session on, changes to skills ${what === 'on' ? 'wait for you' : 'are made at once'}.`);
    return;
  }
  if (session.knowledge.skills === undefined) return ui.print('This session has no skills.');
  const { pending } = session.knowledge.skills;
  if (verb === 'pending') return ui.print(listPending(session.knowledge.skills));
  if (verb === 'diff') {
    const diff = await pending.diff(what);
    if (diff === undefined) throw new UserError(`No change '${shown(what, 40)}' is waiting.`);
    return ui.print(escapeForDisplay(shorten(diff)));
  }
  const ids = what === 'all' ? pending.list().map(({ id }) => id) : [what];
  if (ids.length === 0) ui.print('Nothing waits for you.');
  for (const id of ids) {
    if (verb === 'reject')
      ui.print(pending.reject(id) ? `${id}: thrown away.` : `No change '${shown(id, 40)}' is waiting.`);
    else {
      const answer = await pending.approve(id, new AbortController().signal);
      const said = answer['message'] ?? answer['error'];
      ui.print(`${shown(id, 40)}: ${typeof said === 'string' ? shown(said, 500) : 'done'}`);
    }
  }
}

function listPending({ pending }: SkillLibrary): string {
  const waiting = pending.list();
  if (waiting.length === 0) return 'No changes to skills wait for you.';
  const lines = waiting.map(({ id, summary, origin }) => {
    const tag = origin === 'background_review' ? ' [review]' : '';
    return `${id}${tag} ${escapeForDisplay(summary.slice(0, 200), { singleLine: true })}`;
  });
  return [...lines, 'Use /skills diff ID, approve ID|all, reject ID|all.'].join('\n');
}

const maxDiffChars = 6_000;

function shorten(diff: string): string {
  if (diff.length <= maxDiffChars) return diff;
  return `${diff.slice(0, maxDiffChars)}\n… ${diff.length - maxDiffChars} more characters; they are in pending/skills/.`;
}

function usage(): UserError {
  return new UserError('Use /skills pending, diff ID, approve ID|all, reject ID|all, approval on|off.', {
    exitCode: 2,
  });
}
