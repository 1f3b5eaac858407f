/** `hermes setup`: choose a model provider, store its key, pick a model. */
import type * as clack from '@clack/prompts';
import { Command } from 'commander';
import { setConfigValue } from '../../config/edit.ts';
import { UserError } from '../../lib/errors.ts';
import type { CliContext } from '../command.ts';

interface Choice {
  readonly provider: string;
  readonly keyVariable: string | undefined;
  readonly modelHint: string;
}

const choices: Readonly<Record<string, Choice>> = {
  openrouter: { provider: 'openrouter', keyVariable: 'OPENROUTER_API_KEY', modelHint: 'anthropic/claude-sonnet-4.6' },
  'openai-api': { provider: 'openai-api', keyVariable: 'OPENAI_API_KEY', modelHint: 'gpt-5.4' },
  custom: { provider: 'custom', keyVariable: undefined, modelHint: 'the name your server lists' },
};

const withoutTerminal = [
  'Set the model up without prompts:',
  '  hermes config set OPENROUTER_API_KEY <key>',
  '  hermes config set model.provider openrouter',
  '  hermes config set model.default <model>',
].join('\n');

export function build(context: CliContext): Command {
  return new Command('setup')
    .description('Asks for a model provider, its key and a model, and stores them.')
    .argument('[section]', 'model (the only section of this build)', 'model')
    .action(async (section: string) => {
      if (section !== 'model') {
        throw new UserError(`unknown setup section '${section}'`, { exitCode: 2, hint: 'This build knows: model' });
      }
      if (!context.io.stdin.isTTY || !context.io.stdout.isTTY) {
        throw new UserError('setup asks questions and needs a terminal.', { hint: withoutTerminal });
      }
      await setUpModel(context);
    });
}

/** Nothing is stored before the last question is answered, so that Ctrl+C leaves all as it was. */
async function setUpModel(context: CliContext): Promise<void> {
  const prompts = await import('@clack/prompts');
  prompts.intro('Hermes Agent setup');
  const answers = await askForModel(context, prompts);
  if (answers === undefined) {
    prompts.cancel('Nothing was changed.');
    return;
  }
  for (const [key, value] of answers) await setConfigValue({ home: context.home, env: context.env, key, value });
  prompts.outro('Stored. Start with: hermes');
}

type Prompts = typeof clack;

/** Settings in the order to store them, or nothing when the user cancelled. */
async function askForModel(context: CliContext, prompts: Prompts): Promise<[key: string, value: string][] | undefined> {
  const name = await prompts.select({
    message: 'Where does your model run?',
    options: [
      { value: 'openrouter', label: 'OpenRouter', hint: 'one key, many models' },
      { value: 'openai-api', label: 'OpenAI' },
      { value: 'custom', label: 'Another OpenAI-compatible server', hint: 'LM Studio, Ollama, llama.cpp, vLLM …' },
    ],
  });
  if (prompts.isCancel(name)) return undefined;
  const choice = choices[name];
  if (choice === undefined) return undefined;
  const settings: [string, string][] = [['model.provider', choice.provider]];
  if (choice.keyVariable === undefined) {
    const endpoint = await askForEndpoint(prompts);
    if (endpoint === undefined) return undefined;
    settings.push(...endpoint);
  } else {
    const key = await askForKey(context, prompts, choice.keyVariable);
    if (key === undefined) return undefined;
    if (key !== '') settings.push([choice.keyVariable, key]);
  }
  const model = await prompts.text({ message: 'Which model?', placeholder: choice.modelHint, validate: required });
  if (prompts.isCancel(model)) return undefined;
  return [...settings, ['model.default', model.trim()]];
}

/** An empty answer keeps a key that is already there. */
async function askForKey(context: CliContext, prompts: Prompts, variable: string): Promise<string | undefined> {
  const stored = (context.env[variable] ?? '') !== '';
  const key = await prompts.password({
    message: stored ? `${variable} (Enter keeps the stored one)` : variable,
    validate: (value) => (stored ? undefined : required(value)),
  });
  return prompts.isCancel(key) ? undefined : (key ?? '').trim();
}

async function askForEndpoint(prompts: Prompts): Promise<[string, string][] | undefined> {
  const url = await prompts.text({
    message: 'Base URL',
    placeholder: 'http://localhost:1234/v1',
    validate: (value) => (URL.canParse((value ?? '').trim()) ? undefined : 'A URL such as http://localhost:1234/v1'),
  });
  if (prompts.isCancel(url)) return undefined;
  const key = await prompts.password({ message: 'API key (Enter for none)' });
  if (prompts.isCancel(key)) return undefined;
  const settings: [string, string][] = [['model.base_url', url.trim()]];
  // The key goes to .env under a name of its own, so that config.yaml holds no secret.
  if ((key ?? '').trim() !== '') settings.push(['CUSTOM_API_KEY', key.trim()], ['model.key_env', 'CUSTOM_API_KEY']);
  return settings;
}

function required(value: string | undefined): string | undefined {
  return (value ?? '').trim() === '' ? 'Please enter something, or press Ctrl+C to stop.' : undefined;
}
