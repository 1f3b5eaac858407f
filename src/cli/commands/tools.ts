/** `hermes tools`: which toolsets each surface has. */
import { Command, InvalidArgumentError } from 'commander';
import { UserError } from '../../lib/errors.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import type { CliContext } from '../command.ts';

export function build(context: CliContext): Command {
  const command = new Command('tools')
    .description('Shows and chooses the toolsets of each surface. Sessions that run keep theirs.')
    .option('--summary', 'only show what is on')
    .action((options: { summary?: true }) => choose(context, options.summary === true));
  command
    .command('list')
    .description('show which toolsets are on')
    .option('--platform <name>', 'the surface', platformName, 'cli')
    .action(({ platform }: { platform: string }) => list(context, platform));
  command
    .command('enable')
    .description('switch toolsets on, and tools of MCP servers')
    .argument('<names...>', 'toolsets, or SERVER:TOOL')
    .option('--platform <name>', 'the surface', platformName, 'cli')
    .action((names: string[], { platform }: { platform: string }) => change(context, names, platform, true));
  command
    .command('disable')
    .description('switch toolsets off, and tools of MCP servers')
    .argument('<names...>', 'toolsets, or SERVER:TOOL')
    .option('--platform <name>', 'the surface', platformName, 'cli')
    .action((names: string[], { platform }: { platform: string }) => change(context, names, platform, false));
  return command;
}

async function list(context: CliContext, platform: string): Promise<void> {
  const { builtToolsets, enabledToolsets } = await import('../tools/toolset-choice.ts');
  const { agent, custom_toolsets: custom } = (await context.config()).config;
  const enabled = await enabledToolsets(context, platform);
  const row = (name: string, tools: readonly string[]): void => {
    const barred = agent.disabled_toolsets.includes(name);
    const state = enabled.has(name) && !barred ? '✓ enabled ' : '✗ disabled';
    const why = barred ? '  (off everywhere: agent.disabled_toolsets)' : '';
    context.io.stdout.write(`  ${state}  ${name}  ${tools.join(', ')}${why}\n`);
  };
  context.io.stdout.write(`Toolsets (${platform}):\n`);
  for (const [name, tools] of builtToolsets()) row(name, tools);
  for (const [name, { tools, includes }] of Object.entries(custom)) row(name, [...tools, ...includes]);
  const { pluginToolsets, serverRows } = await import('../tools/added-tools.ts');
  const added = [
    [`Toolsets of plug-ins (${platform}):`, await pluginToolsets(context)],
    [`MCP servers (${platform}):`, await serverRows(context, platform)],
  ] as const;
  for (const [title, rows] of added) {
    if (rows.length > 0) context.io.stdout.write(`${title}\n`);
    for (const { name, isOn, text } of rows) {
      const shown = `  ${isOn ? '✓ enabled ' : '✗ disabled'}  ${name}  ${text}`;
      context.io.stdout.write(`${escapeForDisplay(shown, { singleLine: true })}\n`);
    }
  }
}

async function change(context: CliContext, names: readonly string[], platform: string, on: boolean): Promise<void> {
  const { enabledToolsets, refuseUnknown, storeToolsets } = await import('../tools/toolset-choice.ts');
  const { serverToolOf, switchServerTools } = await import('../tools/added-tools.ts');
  const found = await Promise.all(names.map(async (name) => ({ name, ofServer: await serverToolOf(context, name) })));
  const serverTools = found.flatMap(({ ofServer }) => ofServer ?? []);
  const sets = found.flatMap(({ name, ofServer }) => (ofServer === undefined ? [name] : []));
  await refuseUnknown(context, sets);
  if (serverTools.length > 0) await switchServerTools(context, serverTools, on);
  const enabled = await enabledToolsets(context, platform);
  for (const name of sets) {
    if (on) enabled.add(name);
    else enabled.delete(name);
  }
  if (sets.length > 0) await storeToolsets(context, platform, enabled, on ? sets : []);
  context.io.stdout.write(`✓ ${on ? 'Enabled' : 'Disabled'}: ${names.join(', ')} (${platform})\n`);
  const { withFreshSettings } = await import('../setup/fresh-settings.ts');
  const { disabled_toolsets: barred } = (await withFreshSettings(context).config()).config.agent;
  for (const name of on ? sets.filter((each) => barred.includes(each)) : []) {
    context.io.stderr.write(`${name} stays off: agent.disabled_toolsets switches it off everywhere.\n`);
  }
}

async function choose(context: CliContext, summary: boolean): Promise<void> {
  const { io } = context;
  if (!io.stdin.isTTY || !io.stdout.isTTY) {
    throw new UserError("'hermes tools' requires an interactive terminal.", {
      hint: 'Without one: hermes tools list, hermes tools enable NAME, hermes tools disable NAME',
    });
  }
  if (summary) return list(context, 'cli');
  const { askForToolsets } = await import('../tools/ask-toolsets.ts');
  const { Cancelled, openPrompts } = await import('../model/prompts.ts');
  const prompts = await openPrompts(io);
  prompts.intro('hermes tools');
  try {
    prompts.outro(`${await askForToolsets(context, prompts)}. Sessions that run keep theirs.`);
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    prompts.outro('Nothing was changed.');
  }
}

function platformName(text: string): string {
  if (!/^[a-z][a-z0-9_-]{0,40}$/.test(text))
    throw new InvalidArgumentError('It must be the name of a surface, such as cli.');
  return text;
}
