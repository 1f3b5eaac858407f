/** From a blueprint and what somebody put into its slots to a job. */
import { UserError } from '../../lib/errors.ts';
import type { JobInput } from '../job-input.ts';
import { type Blueprint, type Slot, weekdayPresets } from './blueprint.ts';

export type FilledBlueprint = JobInput & { readonly schedule: string };

/** A slot that is left out has its default. Throws `UserError` that names the slot and what it can be. */
export function fillBlueprint(blueprint: Blueprint, given: ReadonlyMap<string, string>): FilledBlueprint {
  const { title, slots, skills, job } = blueprint;
  const unknown = [...given.keys()].filter((name) => !slots.some((slot) => slot.name === name));
  if (unknown.length > 0) {
    throw new UserError(`${blueprint.key} has no slot '${unknown.join("', '")}'.`, {
      hint: `Its slots: ${slots.map(({ name }) => name).join(', ')}`,
    });
  }
  const values = new Map(slots.map((slot) => [slot.name, valueOf(slot, given.get(slot.name))]));
  return {
    name: job?.name ?? title,
    prompt: filled(blueprint.prompt, values),
    schedule: scheduleOf(blueprint, values),
    deliver: values.get('deliver'),
    skills,
    model: job?.model,
    provider: job?.provider,
    enabledToolsets: job?.enabledToolsets,
    noAgent: job?.noAgent,
  };
}

/** Such as `daily at 08:00`: when it runs if nothing else is said. */
export function usualTime(blueprint: Blueprint): string {
  const usual = (name: string): string => blueprint.slots.find((slot) => slot.name === name)?.default ?? '';
  if (usual('schedule') !== '') return usual('schedule');
  if (usual('interval_min') !== '') return `every ${usual('interval_min')} minutes`;
  if (usual('interval_hours') !== '') {
    const hours = usual('interval_hours');
    const every = hours === '1' ? 'every hour' : `every ${hours} hours`;
    return `weekdays, ${every} from ${usual('start_hour')} to ${usual('end_hour')}`;
  }
  const days = usual('recurrence') || usual('day') || (blueprint.schedule.endsWith('1-5') ? 'weekdays' : 'daily');
  return `${days} at ${usual('time')}`;
}

const mostChars = 2_000;

function valueOf(slot: Slot, given: string | undefined): string {
  const text = given?.trim() ?? '';
  if (text === '') {
    if (slot.default !== '') return slot.default;
    throw new UserError(`${slot.name} is missing: ${slot.label}`);
  }
  if (text.length > mostChars) throw new UserError(`${slot.name} is longer than ${mostChars} characters.`);
  if (slot.type === 'time') return timeOf(slot, text);
  const { options = slot.type === 'weekdays' ? Object.keys(weekdayPresets) : [], strict = true } = slot;
  const known = options.find((option) => option.toLowerCase() === text.toLowerCase());
  if (known !== undefined) return known;
  if (options.length > 0 && strict) {
    throw new UserError(`${slot.name} cannot be '${text}'.`, { hint: `It is one of: ${options.join(', ')}` });
  }
  return text;
}

function timeOf({ name }: Slot, text: string): string {
  if (/^(?:[01]?\d|2[0-3]):[0-5]\d$/.test(text)) return text;
  throw new UserError(`${name} cannot be '${text}'.`, { hint: 'Write it as HH:MM, such as 07:30 or 18:00.' });
}

const days = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

function scheduleOf({ schedule }: Blueprint, values: ReadonlyMap<string, string>): string {
  const own = values.get('schedule');
  if (own !== undefined) return own;
  const [hour = '', minute = ''] = (values.get('time') ?? '').split(':');
  const recurrence = values.get('recurrence');
  const dow = recurrence === undefined ? String(days.indexOf(values.get('day') ?? '')) : weekdayPresets[recurrence];
  const fields = new Map([...values, ['hour', String(Number(hour))], ['minute', String(Number(minute))]]);
  const text = filled(schedule, fields.set('dow', dow ?? '*'));
  // Every sixty minutes is no step within an hour.
  return text.replace(/^\*\/60 /, '0 ');
}

/** In one pass: what stands in a value is not filled in again. */
function filled(template: string, values: ReadonlyMap<string, string>): string {
  return template.replaceAll(/\{(\w+)\}/g, (mark, name: string) => values.get(name) ?? mark);
}
