/** `/skills`: the hub from within a chat, and changes to skills that wait for the user. */
import { UserError } from '../../lib/errors.ts';
import type { CommandContext, SharedCommand } from '../command.ts';
import type { SkillsSurface } from './skills-surface.ts';
import { isReviewVerb, reviewSkills } from './review.ts';

export const skills: SharedCommand = {
  name: 'skills',
  category: 'Tools & Skills',
  description: 'find, install and review skills',
  argumentHint: '[list | search … | install … | pending | diff ID | approve ID|all | reject ID|all | approval on|off]',
  values: [
    'list',
    'search',
    'browse',
    'inspect',
    'install',
    'check',
    'update',
    'audit',
    'uninstall',
    'tap',
    'pending',
    'diff',
    'approve',
    'reject',
    'approval',
  ],
  surface: 'both',
  whileBusy: true,
  async run(context, args) {
    const words = splitWords(args);
    const [verb = 'list'] = words;
    if (isReviewVerb(verb)) return await reviewSkills(context, verb, words.slice(1));
    await runHub(context, words.length === 0 ? ['list'] : words);
  },
};

/** `--now` makes what was installed loadable in this session; the list in its prompt stays as it was. */
async function runHub(context: CommandContext, words: readonly string[]): Promise<void> {
  const { about, session, ui } = context;
  if (about.paths === undefined) {
    throw new UserError('Here only /skills pending, diff, approve, reject and approval are offered.', {
      hint: 'Everything else is done on the machine itself, with: hermes skills',
    });
  }
  const { buildSkillsCommand } = await import('./command-tree.ts');
  const isNow = words.includes('--now');
  const surface: SkillsSurface = {
    ...about.paths,
    version: about.version,
    signal: new AbortController().signal,
    print: (text) => ui.print(text),
    // The question of a chat can be switched off for good; what foreign text may do to the agent is asked every time.
    confirm: (question) => {
      ui.print(`${question} If yes: /skills ${words.join(' ')} --yes`);
      return Promise.resolve(false);
    },
    changed: () => session.knowledge.skills?.reload(),
    allowPrivateUrls: async () => (await about.paths?.skillRules())?.allowPrivateUrls ?? false,
    disabledSkills: async () => (await about.paths?.skillRules())?.disabled ?? [],
  };
  const command = buildSkillsCommand(surface, () => undefined);
  const lines: string[] = [];
  const all = [command, ...command.commands, ...command.commands.flatMap((entry) => entry.commands)];
  for (const entry of all) {
    entry
      .exitOverride()
      .configureOutput({ writeOut: (text) => lines.push(text), writeErr: (text) => lines.push(text) });
  }
  try {
    await command.parseAsync(
      words.filter((word) => word !== '--now'),
      { from: 'user' },
    );
    if (isNow) session.knowledge.skills?.reload();
  } catch (error) {
    // What commander throws was already said: usage, help, unknown words.
    if (lines.length === 0) throw error;
  }
  if (lines.length > 0) ui.print(lines.join('').trimEnd());
}

/** Words with blanks stand in quotes. */
function splitWords(text: string): string[] {
  return [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );
}
