/** `hermes prompt-size`: what the fixed part of every request is made of, in bytes and tokens. */
import { Command } from 'commander';
import type { CliContext } from '../command.ts';
import { readPackage } from './version.ts';

interface Size {
  readonly bytes: number;
  readonly tokens: number;
}

interface Options {
  readonly platform: string;
  readonly json: boolean;
}

const tiers = ['stable', 'context', 'volatile'] as const;

export function build(context: CliContext): Command {
  return new Command('prompt-size')
    .description('Shows the size of the system prompt and of the tools, as every request carries them. Works offline.')
    .option('--platform <name>', 'as this surface sees it (cli, telegram, …)', 'cli')
    .option('--json', 'as JSON', false)
    .action(async ({ platform, json }: Options) => {
      const report = await measure(context, platform);
      context.io.stdout.write(`${json ? JSON.stringify(report, null, 2) : asTable(report)}\n`);
    });
}

type Report = Awaited<ReturnType<typeof measure>>;

async function measure({ home, env, io, config: load }: CliContext, platform: string) {
  const loaded = await load();
  // The exact encoding of newer OpenAI models; others count within a few percent of it.
  const o200k = await import('gpt-tokenizer/encoding/o200k_base');
  const { currentDirectory } = await import('../chat/current-directory.ts');
  const { fixedCost } = await import('../../runtime/measure-prompt.ts');
  const { joinParts } = await import('../../prompt/system-prompt.ts');
  const { parts, tools } = await fixedCost(
    { home, env, config: loaded, cwd: currentDirectory(), version: readPackage().version },
    { surface: platform, prompt: { ignoreRules: loaded.process.ignoreRules } },
    { onWarning: (line) => io.stderr.write(`${line}\n`) },
  );
  // Markers such as <|endoftext|> in a project file are counted as text.
  const sizeOf = (text: string): Size => ({
    bytes: Buffer.byteLength(text),
    tokens: o200k.countTokens(text, { disallowedSpecial: new Set() }),
  });
  const textOf = (name: string): string => parts.find((part) => part.name === name)?.text ?? '';
  const prompt = sizeOf(joinParts(parts));
  const toolSizes = tools.map(({ name, text }) => ({ name, ...sizeOf(text) }));
  const toolTotal = sum(toolSizes);
  return {
    platform,
    profile: loaded.config.agent.prompt_profile,
    encoding: 'o200k_base',
    total: sum([prompt, toolTotal]),
    system_prompt: prompt,
    tiers: Object.fromEntries(
      tiers.map((tier) => [tier, sizeOf(joinParts(parts.filter((part) => part.tier === tier)))]),
    ),
    skills_index: sizeOf(textOf('skills index')),
    memory: sizeOf(textOf('memory')),
    user_profile: sizeOf(textOf('user profile')),
    parts: parts.map(({ name, tier, text }) => ({ name, tier, ...sizeOf(text) })),
    tool_schemas: { count: tools.length, ...toolTotal, tools: toolSizes },
  };
}

function sum(sizes: readonly Size[]): Size {
  return {
    bytes: sizes.reduce((total, { bytes }) => total + bytes, 0),
    tokens: sizes.reduce((total, { tokens }) => total + tokens, 0),
  };
}

function asTable(report: Report): string {
  const lines = [`What every request carries on ${report.platform} (prompt profile: ${report.profile})`, ''];
  lines.push(row('', 'bytes', 'tokens'));
  for (const tier of tiers) {
    const parts = report.parts.filter((part) => part.tier === tier);
    lines.push(row(`${tier} tier`, report.tiers[tier]));
    for (const part of parts) lines.push(row(`  ${part.name}`, part));
  }
  lines.push(row('system prompt', report.system_prompt));
  lines.push(row(`tool schemas (${report.tool_schemas.count})`, report.tool_schemas));
  for (const tool of report.tool_schemas.tools) lines.push(row(`  ${tool.name}`, tool));
  lines.push(row('total', report.total));
  return lines.join('\n');
}

function row(label: string, size: Size | undefined | string, tokens = ''): string {
  const bytes = typeof size === 'string' ? size : thousands(size?.bytes ?? 0);
  const counted = typeof size === 'object' ? thousands(size.tokens) : tokens;
  return `${label.padEnd(24)}${bytes.padStart(10)}${counted.padStart(10)}`;
}

/** By hand, since locale data costs more than the whole report. */
function thousands(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}
