/** The mixtures of models that are configured. */
import type { Config } from '../../config/schema.ts';
import { type Change, updateConfig } from '../../config/edit.ts';
import { UserError } from '../../lib/errors.ts';
import { knownPresets, type Member, mixturesOf } from '../../models/mixture/mixture-settings.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import type { CliContext } from '../command.ts';

/** For people; the one that is used where none is named is marked. */
export function mixtureLines(moa: Config['moa']): string[] {
  const { usual } = mixturesOf(moa);
  return [
    'Mixture of Agents presets',
    `Default: ${shown(usual)}`,
    `Active in config: ${moa.active_preset === '' ? '(off)' : shown(moa.active_preset)}`,
    ...Object.entries(knownPresets(moa)).flatMap(([name, { enabled, reference_models, aggregator }]) => [
      '',
      `${name === usual ? '*' : ' '} ${shown(name)}${enabled ? '' : ' (off: the aggregator answers alone)'}`,
      '  Reference models:',
      ...reference_models.map((member, at) => `    ${at + 1}. ${memberName(member)}`),
      `  Aggregator: ${aggregator === undefined ? 'none' : memberName(aggregator)}`,
    ]),
  ];
}

/** Returns what was done, in one line. Throws `UserError` for one that is not there, and for the last one. */
export async function deleteMixture(context: CliContext, name: string): Promise<string> {
  const { moa } = (await context.config()).config;
  const names = Object.keys(knownPresets(moa));
  if (!names.includes(name)) {
    throw new UserError(`There is no mixture of models called '${name}'. Known: ${names.join(', ')}.`);
  }
  const [first] = names.filter((other) => other !== name);
  if (first === undefined) throw new UserError(`'${name}' is the only mixture of models, and cannot be deleted.`);
  const changes: Change[] = [{ path: ['moa', 'presets', name], value: undefined }];
  if (moa.default_preset === name) changes.push({ path: ['moa', 'default_preset'], value: first });
  if (moa.active_preset === name) changes.push({ path: ['moa', 'active_preset'], value: '' });
  await updateConfig(context, changes);
  return `Deleted the mixture '${shown(name)}'.`;
}

function memberName({ provider, model, reasoning_effort: effort }: Member): string {
  const names = shown([provider, model].filter((part) => part !== '').join(':') || 'as auxiliary says');
  return effort === undefined || effort === '' ? names : `${names} [reasoning=${effort}]`;
}

function shown(text: string): string {
  return escapeForDisplay(text, { singleLine: true });
}
