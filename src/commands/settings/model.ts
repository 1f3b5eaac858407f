/** `/model`: which model answers. */
import { UserError } from '../../lib/errors.ts';
import type { SharedCommand } from '../command.ts';

export const model: SharedCommand = {
  name: 'model',
  aliases: ['provider'],
  category: 'Configuration',
  description: 'show or switch the model of this session',
  argumentHint: '[name | provider:name] [--provider P] [--global]',
  surface: 'both',
  whileBusy: false,
  async run({ session, settings, ui }, args) {
    const { spec, provider, forGood } = parse(args);
    if (spec !== '' || provider !== undefined) {
      const notes = await session.model.switch(spec, provider);
      for (const note of notes) ui.print(note);
    }
    const { route } = session.agent;
    ui.print(`Model: ${route.model}\nProvider: ${route.provider}${route.baseUrl === '' ? '' : ` (${route.baseUrl})`}`);
    if (forGood) {
      await settings.save(await session.model.defaultChanges());
      ui.print('Stored as the default.');
    } else if (spec === '' && provider === undefined) {
      ui.print(
        'Switch with /model <name> or /model <provider>:<name>; add --global to keep it. Set providers up with: hermes model',
      );
    }
  },
};

interface ModelRequest {
  readonly spec: string;
  readonly provider: string | undefined;
  readonly forGood: boolean;
}

function parse(args: string): ModelRequest {
  const words = args.split(/\s+/).filter((word) => word !== '');
  const rest: string[] = [];
  let provider: string | undefined;
  let forGood = false;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '--global') forGood = true;
    else if (word === '--provider') {
      at += 1;
      provider = words[at];
      if (provider === undefined) throw new UserError('--provider needs the name of a provider.', { exitCode: 2 });
    } else if (word.startsWith('--')) {
      throw new UserError(`/model does not take ${word}; the model was not changed.`, {
        hint: 'Use /model [name | provider:name] [--provider P] [--global]',
      });
    } else rest.push(word);
  }
  return { spec: rest.join(' '), provider, forGood };
}
