/** `hermes mcp configure`: chooses which tools of a server are offered. */
import { updateConfig } from '../../config/edit.ts';
import { valueAt } from '../../config/values.ts';
import { counted } from '../../lib/counted.ts';
import { UserError } from '../../lib/errors.ts';
import type { CliContext } from '../command.ts';
import { Cancelled } from '../model/prompts.ts';
import { askForTools, filterFor, offeredBy } from './choose-tools.ts';
import { serverNamed } from './configured.ts';
import { probe } from './test-server.ts';

/** Throws `UserError`; without a terminal too. */
export async function configureServer(context: CliContext, name: string): Promise<void> {
  const { io, home, env } = context;
  const entry = await serverNamed(context, name);
  if (!io.stdin.isTTY || !io.stdout.isTTY) {
    throw new UserError("'hermes mcp configure' requires an interactive terminal.", {
      hint: `Without one, write the names to mcp_servers.${name}.tools.include in config.yaml.`,
    });
  }
  const { tools } = await probe(context, name, entry);
  if (tools.length === 0) return void io.stdout.write('The server offers no tools.\n');
  const before = offeredBy(entry.tools, tools);
  try {
    const chosen = await askForTools(context, name, tools, before);
    if (chosen.length === before.length && before.every((each) => chosen.includes(each))) {
      return void io.stdout.write('Nothing was changed.\n');
    }
    const path = ['mcp_servers', name, 'tools'];
    const written = valueAt((await context.config()).raw, path);
    await updateConfig({ home, env }, [{ path, value: filterFor(tools, chosen, written) }]);
    io.stdout.write(
      `${chosen.length} of ${counted(tools.length, 'tool')} are offered now, from the next message on.\n`,
    );
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    io.stdout.write('Nothing was changed.\n');
  }
}
