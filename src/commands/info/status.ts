/** `/status`: where things stand, without asking the model. */
import type { SlashCommand } from '../command.ts';

export const status: SlashCommand = {
  name: 'status',
  category: 'Session',
  description: 'show where this session stands',
  surface: 'both',
  whileBusy: true,
  async run({ session, store, about, print }) {
    const { agent } = session;
    const row = await store?.getSession(session.id);
    const results = agent.history.filter((message) => message.role === 'tool');
    const perTool = Object.entries(Object.groupBy(results, (message) => message.tool_name ?? 'unknown'))
      .map(([name, rows]) => ({ name, count: rows?.length ?? 0 }))
      .sort((left, right) => right.count - left.count)
      .slice(0, 5);
    print(
      [
        `Model:    ${agent.route.model} (${agent.route.provider})`,
        `Profile:  ${about.profile}`,
        `Session:  ${session.id}${store === undefined ? ' (not saved)' : ''}`,
        `Title:    ${row?.title ?? '(none)'}`,
        `Directory: ${about.cwd}`,
        `State:    ${agent.busy ? 'working' : 'idle'}, ${session.backgroundCount} background processes`,
        `Turns:    ${agent.history.filter((message) => message.role === 'user').length}, ${results.length} tool results`,
        ...(perTool.length === 0
          ? []
          : [`Tools:    ${perTool.map(({ name, count }) => `${name} ×${count}`).join(', ')}`]),
      ].join('\n'),
    );
  },
};
