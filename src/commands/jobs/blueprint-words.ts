/** Blueprints in words: for the person who chooses one, and for the model that asks for what is missing. */
import { type Blueprint, type Slot, weekdayPresets } from '../../cron/blueprints/blueprint.ts';
import { usualTime } from '../../cron/blueprints/fill.ts';
import { shown } from '../skills/skills-surface.ts';

export function listed(blueprints: readonly Blueprint[]): string {
  const rows = blueprints.flatMap((blueprint) => [
    `${shown(blueprint.key, 64)}  ${shown(blueprint.title, 64)} (${shown(usualTime(blueprint), 60)})`,
    `   ${shown(blueprint.description, 200)}`,
  ]);
  const hint = 'I ask for the rest: /blueprint <name>. Or at once: /blueprint morning-brief time=07:30';
  return [...rows, hint].join('\n');
}

/** One name a line. */
export function candidates(blueprints: readonly Blueprint[]): string {
  return blueprints.map(({ key, title }) => `  ${shown(key, 64)}  ${shown(title, 64)}`).join('\n');
}

/** `/blueprint <key> slot=value …` with the usual values, ready to be changed. */
export function commandLine({ key, slots }: Blueprint): string {
  const values = slots.map(({ name, default: value }) => {
    return /^[\w:.@/,-]*$/.test(value) ? `${name}=${value}` : `${name}="${value.replaceAll(/["\\]/g, '')}"`;
  });
  return ['/blueprint', key, ...values].join(' ');
}

/** What the model is asked. `said`: what the person wrote behind the name. */
export function fillingRequest(blueprint: Blueprint, said: string): string {
  const { key, title, description, slots, prompt, schedule, skills = [] } = blueprint;
  const isOwn = slots.some(({ name }) => name === 'schedule');
  return [
    `I want to schedule the job '${title}' (blueprint ${key}): ${description}`,
    '',
    'Ask me for these, one at a time, with the usual value, which holds when I have no wish. Do not ask for what I have said already.',
    ...slots.map(slotLine),
    '',
    'When you have them all, tell me in one line when it will run and what it will do. After my yes, call cronjob with action create and:',
    isOwn ? '- schedule: my answer to `schedule`' : `- schedule: ${schedule} (${placeholders(schedule)})`,
    '- deliver: my answer to `deliver`',
    `- name: ${blueprint.job?.name ?? title}`,
    ...(skills.length === 0 ? [] : [`- skills: ${JSON.stringify(skills)}`]),
    ...jobLines(blueprint),
    ...(prompt === ''
      ? []
      : ['- prompt: the text below, word for word, with my answers in the place of {…}', '', prompt]),
    ...(said === '' ? [] : ['', `What I have said already: ${said}`]),
  ].join('\n');
}

function slotLine({ name, label, default: usual, options, strict = true, help }: Slot): string {
  const choice = options === undefined ? '' : ` ${strict ? 'One of' : 'For example'}: ${options.join(', ')}.`;
  return `- ${name}: ${label}${choice}${help === undefined ? '' : ` (${help})`} Usually: ${usual}`;
}

function placeholders(schedule: string): string {
  const days = Object.entries(weekdayPresets).map(([name, field]) => `${name} ${field}`);
  const lines = [
    ['{minute}', '{minute} and {hour} from the time, as numbers without a leading zero'],
    ['{dow}', `{dow} from the days: ${days.join(', ')}, sunday 0 to saturday 6`],
    ['{interval_min}', '60 minutes are written 0 * * * *'],
  ].flatMap(([mark = '', words = '']) => (schedule.includes(mark) ? [words] : []));
  return ['a cron expression, with my answers in it', ...lines].join('; ');
}

function jobLines({ job }: Blueprint): string[] {
  const { model, provider, enabledToolsets, noAgent } = job ?? {};
  return [
    ...(model === undefined
      ? []
      : [`- model: ${JSON.stringify({ model, ...(provider === undefined ? {} : { provider }) })}`]),
    ...(enabledToolsets === undefined ? [] : [`- enabled_toolsets: ${JSON.stringify(enabledToolsets)}`]),
    ...(noAgent === true ? ['- no_agent: true'] : []),
  ];
}
