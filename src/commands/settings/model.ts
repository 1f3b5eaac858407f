/** `/model`: which model answers. */
import { UserError } from '../../lib/errors.ts';
import type { OfferedModel, Session } from '../../runtime/session.ts';
import type { SharedCommand } from '../command.ts';
import type { Picked, PickList, PickRow } from '../pick.ts';
import { modelFacts, modelRow, modelSpec } from './model-rows.ts';

export const model: SharedCommand = {
  name: 'model',
  aliases: ['provider'],
  category: 'Configuration',
  description: 'show or switch the model of this session',
  argumentHint: '[name | provider:name] [--provider P] [--global|--session|--once] [--refresh]',
  complete: async ({ session }) => {
    const { route } = session.agent;
    const current = modelSpec(route);
    return (await session.model.known()).map((offered) => ({
      value: offered.provider === route.provider ? offered.model : modelSpec(offered),
      description: modelFacts(offered, modelSpec(offered) === current),
    }));
  },
  surface: 'both',
  whileBusy: false,
  async run({ session, settings, ui }, args) {
    const asked = parse(args);
    if (asked.refresh) ui.print(await refreshed(session));
    const bare = asked.spec === '' && asked.provider === undefined;
    const picked = bare && ui.pick !== undefined ? await pickModel(session, ui.pick) : undefined;
    if (bare && ui.pick !== undefined && picked === undefined) return;
    const { spec, provider } = picked ?? asked;
    const switches = spec !== '' || provider !== undefined;
    const once = asked.scope === 'once';
    if (once && !switches) throw new UserError('/model --once needs a model: /model <name> --once', { exitCode: 2 });
    if (switches) {
      const notes = await session.model.switch(spec, { provider, once });
      for (const note of notes) ui.print(note);
      if (!once) await settings.keepModel?.(session.agent.route);
    }
    const { route } = session.agent;
    ui.print(`Model: ${route.model}\nProvider: ${route.provider}${route.baseUrl === '' ? '' : ` (${route.baseUrl})`}`);
    if (isKept(asked, switches, session)) {
      await settings.save(await session.model.defaultChanges());
      ui.print('Stored as the default.');
    } else if (once) ui.print('For the next turn only.');
    else if (!switches) ui.print(howTo);
  },
};

const howTo =
  'Switch with /model <name> or /model <provider>:<name>; add --global to keep it, --once for the next turn only. Set providers up with: hermes model';
const refreshMs = 30_000;

async function refreshed({ model }: Session): Promise<string> {
  const isNew = await model.refresh(AbortSignal.timeout(refreshMs));
  return isNew ? 'What is known of models was fetched again.' : 'Nothing new could be fetched about models.';
}

/** A provider that a flag names is mostly only tried. */
function isKept({ scope, provider }: ModelRequest, switches: boolean, { model }: Session): boolean {
  if (scope !== undefined) return scope === 'global';
  return switches && provider === undefined && model.keepsSwitches;
}

/** The known ones at once, those that the providers list as they come. */
async function pickModel(session: Session, pick: (list: PickList) => Promise<Picked | undefined>) {
  const offered = new Map<string, OfferedModel>();
  const { route } = session.agent;
  const current = modelSpec(route);
  const rows = (models: readonly OfferedModel[]): PickRow[] =>
    models.map((model) => {
      offered.set(modelSpec(model), model);
      return modelRow(model, current);
    });
  const picked = await pick({
    title: `Model of this session: ${route.model}`,
    rows: rows(await session.model.known()),
    current,
    more: (add, signal) => session.model.listed((models) => add(rows(models)), signal),
  });
  const chosen = picked === undefined ? undefined : offered.get(picked.value);
  if (chosen === undefined || picked?.value === current) return undefined;
  return { spec: chosen.model, provider: chosen.provider };
}

interface ModelRequest {
  readonly spec: string;
  readonly provider: string | undefined;
  /** How long it holds, where a flag says so. */
  readonly scope: Scope | undefined;
  readonly refresh: boolean;
}

const scopes = ['global', 'session', 'once'] as const;
type Scope = (typeof scopes)[number];

function parse(args: string): ModelRequest {
  const words = args.split(/\s+/).filter((word) => word !== '');
  const rest: string[] = [];
  let provider: string | undefined;
  const wanted = new Set<Scope>();
  let refresh = false;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const scope = scopes.find((name) => word === `--${name}`);
    if (scope !== undefined) wanted.add(scope);
    else if (word === '--refresh') refresh = true;
    else if (word === '--provider') {
      at += 1;
      provider = words[at];
      if (provider === undefined) throw new UserError('--provider needs the name of a provider.', { exitCode: 2 });
    } else if (word.startsWith('--')) {
      throw new UserError(`/model does not take ${word}; the model was not changed.`, {
        hint: 'Use /model [name | provider:name] [--provider P] [--global|--session|--once] [--refresh]',
      });
    } else rest.push(word);
  }
  if (wanted.size > 1) {
    const both = [...wanted].map((name) => `--${name}`).join(' and ');
    throw new UserError(`${both} exclude each other; the model was not changed.`, { exitCode: 2 });
  }
  return { spec: rest.join(' '), provider, scope: [...wanted][0], refresh };
}
