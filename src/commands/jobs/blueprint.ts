/** `/blueprint`: a ready-made job, filled in by questions in the next turn, or by what is typed behind its name. */
import type { Blueprint } from '../../cron/blueprints/blueprint.ts';
import { UserError } from '../../lib/errors.ts';
import type { CommandContext, SharedCommand } from '../command.ts';
import { shown } from '../skills/skills-surface.ts';

export const blueprint: SharedCommand = {
  name: 'blueprint',
  aliases: ['bp'],
  category: 'Tools & Skills',
  description: 'schedule a ready-made job',
  argumentHint: '[name] [slot=value …]',
  complete: async () => {
    const { blueprints } = await import('../../cron/blueprints/catalogue.ts');
    return blueprints.map(({ key, description }) => ({ value: key, description }));
  },
  surface: 'both',
  whileBusy: false,
  async run(context, args) {
    const typed = await readTyped(args);
    const all = await allBlueprints(context);
    if (typed.words.length === 0 && typed.values.size === 0) {
      const { listed } = await import('./blueprint-words.ts');
      return context.ui.print(listed(all));
    }
    const { found, said } = await findOne(typed.words, all);
    const { jobsOf, madeWords, makeJob } = await import('./job-place.ts');
    const jobs = jobsOf(context);
    if (typed.values.size === 0) return await askForTheRest(context, found, said);
    if (said !== '') {
      throw new UserError(`'${shown(said, 60)}' belongs to no slot.`, {
        hint: `Put a value of several words into quotes. ${await usage(found)}`,
      });
    }
    const { fillBlueprint } = await import('../../cron/blueprints/fill.ts');
    context.ui.print(madeWords(await makeJob(jobs, fillBlueprint(found, typed.values))));
  },
};

interface Typed {
  /** What is no `slot=value`. */
  readonly words: readonly string[];
  readonly values: ReadonlyMap<string, string>;
}

async function readTyped(args: string): Promise<Typed> {
  const { splitWords } = await import('../../plugins/shell-hooks/split-words.ts');
  // Telephones put curved quotes into whatever is typed.
  const line = args.replaceAll(/[“”„]/g, '"').trim();
  const all = splitWords(line) ?? line.split(/\s+/).filter((word) => word !== '');
  const values = new Map<string, string>();
  const words = all.filter((word) => {
    const [, name, value] = /^(\w+)=(.*)$/s.exec(word) ?? [];
    if (name === undefined || value === undefined) return true;
    values.set(name, value);
    return false;
  });
  return { words, values };
}

async function allBlueprints({ session }: CommandContext): Promise<readonly Blueprint[]> {
  const [{ blueprints }, { skillBlueprints }] = await Promise.all([
    import('../../cron/blueprints/catalogue.ts'),
    import('./skill-blueprints.ts'),
  ]);
  const own = await skillBlueprints(session.knowledge.skills);
  return [...blueprints, ...own.filter(({ key }) => !blueprints.some((known) => known.key === key))];
}

/** The first word is its name, or all of them are. */
async function findOne(
  words: readonly string[],
  all: readonly Blueprint[],
): Promise<{ readonly found: Blueprint; readonly said: string }> {
  const { matchBlueprints } = await import('../../cron/blueprints/match.ts');
  const [name = '', ...rest] = words;
  const named = all.find(({ key }) => key.toLowerCase() === name.toLowerCase());
  if (named !== undefined) return { found: named, said: rest.join(' ') };
  const whole = matchBlueprints(words.join(' '), all);
  const matches = whole.length > 0 ? whole : matchBlueprints(name, all);
  const [found, another] = matches;
  if (found === undefined) {
    throw new UserError(`No blueprint is called '${shown(words.join(' '), 60)}'.`, { hint: '/blueprint lists them.' });
  }
  if (another !== undefined) {
    const { candidates } = await import('./blueprint-words.ts');
    throw new UserError(`Several blueprints are like '${shown(name, 60)}'. Which one?\n${candidates(matches)}`);
  }
  return { found, said: whole.length > 0 ? '' : rest.join(' ') };
}

async function askForTheRest({ session, worker }: CommandContext, found: Blueprint, said: string): Promise<void> {
  if (!session.tools.some(({ name }) => name === 'cronjob')) {
    throw new UserError('This conversation cannot ask for the rest.', { hint: `Type it: ${await usage(found)}` });
  }
  const { fillingRequest } = await import('./blueprint-words.ts');
  const content = `/blueprint ${found.key} ${said}`.trim();
  await worker.submit({ content, sent: fillingRequest(found, said), shown: true });
}

async function usage(found: Blueprint): Promise<string> {
  const { commandLine } = await import('./blueprint-words.ts');
  return commandLine(found);
}
