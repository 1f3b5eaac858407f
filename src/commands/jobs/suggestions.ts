/** `/suggestions`: jobs that were proposed; nothing of them is scheduled until it is accepted here. */
import type { Suggestion } from '../../cron/suggestion.ts';
import type { SuggestionStore } from '../../cron/suggestion-store.ts';
import { counted } from '../../lib/counted.ts';
import { UserError } from '../../lib/errors.ts';
import type { JobAccess } from '../../tools/cron/job-access.ts';
import type { SharedCommand } from '../command.ts';
import { shown } from '../skills/skills-surface.ts';

const verbs: Readonly<Record<string, (place: Place, reference: string) => Promise<string>>> = {
  '': ({ store }) => Promise.resolve(listed(store.pending())),
  accept,
  add: accept,
  schedule: accept,
  dismiss,
  no: dismiss,
  reject: dismiss,
  catalog,
  clear,
};

export const suggestions: SharedCommand = {
  name: 'suggestions',
  aliases: ['suggest'],
  category: 'Tools & Skills',
  description: 'scheduled jobs that were proposed, to be accepted or dismissed',
  argumentHint: '[accept N | dismiss N | catalog | clear]',
  values: ['accept', 'dismiss', 'catalog', 'clear'],
  surface: 'both',
  whileBusy: false,
  async run(context, args) {
    const [, word = '', reference = ''] = /^(\S*)\s*(.*)$/s.exec(args) ?? [];
    const verb = Object.entries(verbs).find(([name]) => name === word.toLowerCase())?.[1];
    if (verb === undefined) {
      throw new UserError(`/suggestions does not know '${shown(word, 60)}'.`, {
        hint: 'Use one of: accept <number>, dismiss <number>, catalog, clear',
      });
    }
    const { jobsOf } = await import('./job-place.ts');
    const jobs = jobsOf(context);
    context.ui.print(await verb({ jobs, store: await jobs.suggestions() }, reference.trim()));
  },
};

interface Place {
  readonly jobs: JobAccess;
  readonly store: SuggestionStore;
}

function listed(pending: readonly Suggestion[]): string {
  if (pending.length === 0) {
    return 'No job is proposed. A few to begin with: /suggestions catalog. Ready-made ones to fill in: /blueprint';
  }
  const rows = pending.flatMap(({ title, description, source, job_spec: spec }, at) => {
    const schedule = typeof spec['schedule'] === 'string' ? shown(spec['schedule'], 60) : '?';
    const prompt = typeof spec['prompt'] === 'string' ? shown(spec['prompt'], 120) : '';
    return [
      `${at + 1}. ${shown(title, 100)}  [${schedule}]  (${shown(source, 20)})`,
      ...(description === '' ? [] : [`   ${shown(description, 300)}`]),
      ...(prompt === '' ? [] : [`   It would be asked: ${prompt}`]),
    ];
  });
  return [...rows, 'Schedule one: /suggestions accept <number>. Not again: /suggestions dismiss <number>'].join('\n');
}

async function accept({ jobs, store }: Place, reference: string): Promise<string> {
  const [{ inputOf }, { madeWords, makeJob }] = await Promise.all([
    import('../../cron/suggestion.ts'),
    import('./job-place.ts'),
  ]);
  const job = await store.accept(named(reference, 'accept'), (found) => makeJob(jobs, inputOf(found)));
  if (job === undefined) throw noneOf(reference);
  return madeWords(job);
}

async function dismiss({ store }: Place, reference: string): Promise<string> {
  const dismissed = await store.dismiss(named(reference, 'dismiss'));
  if (dismissed === undefined) throw noneOf(reference);
  return `'${shown(dismissed.title, 100)}' is not proposed again.`;
}

async function catalog({ store }: Place): Promise<string> {
  const { starterSuggestions } = await import('../../cron/starter-suggestions.ts');
  let added = 0;
  let isFull = false;
  for (const suggestion of starterSuggestions()) {
    const result = await store.add(suggestion);
    if (result === 'added') added += 1;
    if (result === 'full') isFull = true;
  }
  const full = isFull ? ['No more fit in: accept or dismiss some first.'] : [];
  const known = added === 0 && !isFull ? ['All of the catalogue was proposed before.'] : [];
  return [...known, ...full, listed(store.pending())].join('\n');
}

async function clear({ store }: Place): Promise<string> {
  return `Forgot ${counted(await store.forgetAccepted(), 'accepted suggestion')}. The jobs stay.`;
}

function named(reference: string, verb: string): string {
  if (reference !== '') return reference;
  throw new UserError(`Which one? Write /suggestions ${verb} <number>.`, { hint: '/suggestions lists them.' });
}

function noneOf(reference: string): UserError {
  return new UserError(`No suggestion '${shown(reference, 60)}' waits.`, { hint: '/suggestions lists them.' });
}
