/** `hermes memory`: what is kept, and by whom. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { updateConfig } from '../../config/edit.ts';
import { counted } from '../../lib/counted.ts';
import { UserError } from '../../lib/errors.ts';
import type { MemoryTarget } from '../../memory/memory-change.ts';
import type { MemoryStore } from '../../memory/memory-store.ts';
import type { CliContext } from '../command.ts';

export function build(context: CliContext): Command {
  const command = new Command('memory').description('Shows what is kept in memory, and by whom.');
  command
    .command('status', { isDefault: true })
    .description('show the built-in memory and the provider')
    .action(async () => status(context));
  command
    .command('setup')
    .description('choose a memory provider')
    .argument('[provider]')
    .action((provider?: string) => {
      throw new UserError(
        provider === undefined
          ? 'This build keeps memory in its own two files; there is no other provider to set up.'
          : `There is no memory provider '${provider}' in this build; the built-in memory needs no setup.`,
        { hint: 'See what is kept with: hermes memory status' },
      );
    });
  command
    .command('off')
    .description('go back to the built-in memory alone')
    .action(async () => {
      await updateConfig(context, [{ path: ['memory', 'provider'], value: '' }]);
      context.io.stdout.write('No memory provider is active. The built-in memory goes on.\n');
    });
  command
    .command('reset')
    .description('erase the built-in memory; a provider keeps what it has')
    .addOption(new Option('--target <target>', 'what to erase').choices(['all', 'memory', 'user']).default('all'))
    .option('-y, --yes', 'do not ask')
    .action(async (options: { target: string; yes?: true }) => reset(context, options));
  return command;
}

async function reset({ home, io }: CliContext, { target, yes }: { target: string; yes?: true }): Promise<void> {
  const names = { memory: 'MEMORY.md', user: 'USER.md' };
  const wanted = target === 'memory' ? [names.memory] : target === 'user' ? [names.user] : Object.values(names);
  const files = wanted.filter((name) => existsSync(join(home.path, 'memories', name)));
  if (files.length === 0) return void io.stdout.write('There is nothing to erase.\n');
  const { confirm } = await import('../sessions/confirm.ts');
  if (yes !== true && !(await confirm(io, `Erase ${files.join(' and ')}? This cannot be undone.`))) {
    return void io.stdout.write('\nCancelled.\n');
  }
  for (const name of files) rmSync(join(home.path, 'memories', name), { force: true });
  io.stdout.write(`✓ Erased: ${files.join(', ')}\n`);
}

async function status(context: CliContext): Promise<void> {
  const { config } = await context.config();
  const { memory } = config;
  const { createMemoryStore } = await import('../../memory/memory-store.ts');
  const { sizeOf, usageLine } = await import('../../memory/entries.ts');
  const limits = { memory: memory.memory_char_limit, user: memory.user_char_limit };
  const enabled = { memory: memory.memory_enabled, user: memory.user_profile_enabled };
  const store = createMemoryStore({ homePath: context.home.path, limits, enabled });
  const line = (name: string, target: MemoryTarget): string => {
    if (!enabled[target]) return `${name}: off`;
    const entries = entriesOf(store, target);
    if (entries === undefined) return `${name}: cannot be used`;
    const count = counted(entries.length, 'entry', 'entries');
    return `${name}: ${count}, ${usageLine(sizeOf(entries), limits[target])}`;
  };
  const { warnings } = await store.snapshot();
  const waiting = store.pending.list().length;
  const lines = [
    line('MEMORY.md', 'memory'),
    line('USER.md  ', 'user'),
    `Writes wait for approval: ${memory.write_approval ? 'yes' : 'no'}${waiting === 0 ? '' : ` (${waiting} waiting, see /memory pending)`}`,
    `Provider: ${memory.provider === '' ? 'built-in' : `${memory.provider} (not in this build; the built-in memory is used)`}`,
    ...warnings.map((warning) => `Warning: ${warning}`),
  ];
  context.io.stdout.write(`${lines.join('\n')}\n`);
}

/** Undefined for a file that is no memory; a warning says why. */
function entriesOf(store: MemoryStore, target: MemoryTarget): readonly string[] | undefined {
  try {
    return store.entries(target);
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}
