/** `hermes debug`: a report for somebody who helps, with the ends of the logs. Nothing leaves the machine. */
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { createRedactor } from '../../safety/redact.ts';
import { secretValuesOf } from '../../safety/secret-variables.ts';
import type { CliContext } from '../command.ts';

interface ShareOptions {
  readonly lines: number;
  readonly local?: true;
  /** False with `--no-redact`. */
  readonly redact: boolean;
}

const LOGS = ['agent.log', 'errors.log', 'gateway.log'];
const MOST_BYTES_OF_A_LOG = 512_000;

export function build(context: CliContext): Command {
  const command = new Command('debug').description('Makes a report for somebody who helps.');
  command
    .command('share')
    .description('write a report to a file that you can hand on; nothing is uploaded')
    .option('--lines <count>', 'how many lines of each log', wholeNumber, 200)
    .option('--local', 'print it instead')
    .option('-y, --yes', 'accepted for scripts of the original; there is nothing to ask')
    .option('--no-redact', 'leave what looks like a secret in the logs')
    .action(async (options: ShareOptions) => {
      const text = await reportText(context, options);
      if (options.local === true) return void context.io.stdout.write(text);
      const path = join(
        context.home.path,
        'logs',
        `debug-report-${new Date().toISOString().replace(/[:.]/g, '-')}.txt`,
      );
      writeFileAtomic(path, text);
      context.io.stdout.write(
        `${path}\nRead it before you hand it on; secrets are ${options.redact ? '' : 'NOT '}masked.\n`,
      );
    });
  return command;
}

async function reportText(context: CliContext, { lines, redact }: ShareOptions): Promise<string> {
  const { dumpText } = await import('../dump/report.ts');
  const mask = createRedactor({ enabled: redact, secretValues: secretValuesOf(context.env) });
  const parts = [await dumpText(context, false)];
  for (const name of LOGS) {
    const path = join(context.home.path, 'logs', name);
    if (!existsSync(path)) continue;
    parts.push(`\n--- ${name} (last ${lines} lines) ---\n${mask(await endOf(path, lines))}\n`);
  }
  return parts.join('');
}

async function endOf(path: string, lines: number): Promise<string> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const length = Math.min(size, MOST_BYTES_OF_A_LOG);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
    const { escapeForDisplay } = await import('../../safety/display.ts');
    const all = buffer.toString('utf8', 0, bytesRead).trimEnd().split('\n');
    return escapeForDisplay((lines === 0 ? [] : all.slice(-lines)).join('\n'));
  } finally {
    await file.close();
  }
}

function wholeNumber(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}
