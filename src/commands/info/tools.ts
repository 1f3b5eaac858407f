/** `/tools`: what the model can call, and other tools for a conversation that begins. */
import { UserError } from '../../lib/errors.ts';
import type { Session } from '../../runtime/session.ts';
import { toolCatalogue } from '../../tools/catalogue.ts';
import { selectTools } from '../../tools/toolsets.ts';
import { takeYes, type TerminalCommand, type TerminalContext } from '../command.ts';
import { mayLose } from '../confirm-loss.ts';

const verbs = ['list', 'disable', 'enable'] as const;

export const tools: TerminalCommand = {
  name: 'tools',
  category: 'Tools & Skills',
  description: 'list the tools, or begin a conversation with fewer or more',
  argumentHint: '[list|disable|enable] [names]',
  values: verbs,
  complete: ({ session }) => {
    const has = new Set(session.tools.map(({ toolset }) => toolset));
    const all = [...new Set(toolCatalogue.map(({ toolset }) => toolset))].sort();
    return all.map((toolset) => ({ value: `${has.has(toolset) ? 'disable' : 'enable'} ${toolset}` }));
  },
  surface: 'cli',
  whileBusy: true,
  async run(context, args) {
    const { yes, rest } = takeYes(args);
    const [verb = 'list', ...names] = rest.split(/[\s,]+/).filter((word) => word !== '');
    if (verb === 'list' && names.length === 0) return list(context.session, context);
    if ((verb !== 'disable' && verb !== 'enable') || names.length === 0) {
      throw new UserError(`Usage: /tools [list|disable|enable] [names], for example: /tools disable web`);
    }
    if (context.worker.busy) throw new UserError('The tools can be changed once the turn is done; /stop ends it.');
    const next = changed(context, verb, names);
    const question = `The tools are chosen when a conversation begins. End this one and start a new one ${
      verb === 'disable' ? 'without' : 'with'
    } ${names.join(', ')}?`;
    if (!yes && !(await mayLose(context.ui, 'tools', question))) return;
    const session = await context.navigation.switchSession({ keepModel: true, toolsets: next }, 'new_session');
    context.ui.print('New session started. /new brings back the usual tools.');
    list(session, context);
  },
};

function list(session: Session, { ui }: TerminalContext): void {
  const bySet = Map.groupBy(session.tools, (tool) => tool.toolset);
  const lines = [...bySet].map(([toolset, members]) => `${toolset}: ${members.map((tool) => tool.name).join(', ')}`);
  ui.print(lines.length === 0 ? 'No tools in this session.' : lines.sort().join('\n'));
}

/** The names of the tools afterwards. Throws `UserError` when a name means nothing or nothing would change. */
function changed({ session }: TerminalContext, verb: 'disable' | 'enable', names: readonly string[]): string[] {
  const { tools: meant, unknown, empty } = selectTools(toolCatalogue, { wanted: names, custom: {}, disabled: [] });
  const strange = [...unknown, ...empty];
  if (strange.length > 0) {
    const sets = [...new Set(toolCatalogue.map(({ toolset }) => toolset))].sort().join(', ');
    throw new UserError(`There are no tools named ${strange.join(', ')}.`, { hint: `There are: ${sets}` });
  }
  const named = new Set(meant.map(({ name }) => name));
  const now = session.tools.map(({ name }) => name);
  const next = verb === 'disable' ? now.filter((name) => !named.has(name)) : [...new Set([...now, ...named])];
  if (next.length === now.length) {
    throw new UserError(
      `This conversation ${verb === 'disable' ? 'does not have' : 'already has'} ${names.join(', ')}.`,
    );
  }
  return next;
}
