/** The sections of `hermes setup` that are a few settings each: what is asked, and with which answers. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { LoadedConfig } from '../../config/load.ts';
import { type AccountVariable, isAccountVariableSet } from '../../config/sandbox-accounts.ts';
import type { Variables } from '../../config/variables.ts';
import type { Choice } from '../model/prompts.ts';

export interface SettingQuestion {
  /** Dotted key of config.yaml, or the name of a variable that is a secret. */
  readonly key: string;
  readonly message: string;
  /** The setting as it is now. */
  current(config: LoadedConfig['config'], env: Variables): string | number | boolean;
  /** It is not shown: what is set stays with an empty answer, and through a reset. */
  readonly isSecret?: true;
  /** What can be answered; else anything that the key takes. A single choice is not asked for. */
  readonly choices?: readonly Choice[];
  /** A further complaint about an answer. */
  readonly check?: (answer: string) => string | undefined;
  /** The question makes sense only with that answer to an earlier one. */
  readonly onlyWith?: { readonly key: string; readonly answer: string };
}

export type SectionName = 'agent' | 'terminal';

const backends: readonly Choice[] = [
  { value: 'local', label: 'this machine' },
  { value: 'docker', label: 'a Docker container' },
  { value: 'ssh', label: 'another machine, through SSH' },
  { value: 'modal', label: 'Modal' },
  { value: 'daytona', label: 'Daytona' },
  { value: 'singularity', label: 'a Singularity container' },
];

export const setupSections: Readonly<Record<SectionName, readonly SettingQuestion[]>> = {
  agent: [
    {
      key: 'agent.max_turns',
      message: 'Most model requests for one message of yours',
      current: ({ agent }) => agent.max_turns,
    },
    {
      key: 'display.tool_progress',
      message: 'How much is shown of what the agent does',
      current: ({ display }) => display.tool_progress,
      choices: [
        { value: 'off', label: 'nothing but the answer' },
        { value: 'new', label: 'one line when another tool is used' },
        { value: 'all', label: 'one line for every call' },
        { value: 'verbose', label: 'every call with its arguments and result' },
      ],
    },
    {
      key: 'compression.enabled',
      message: 'Summarise long conversations, so that they can go on?',
      current: ({ compression }) => compression.enabled,
    },
    {
      key: 'compression.threshold',
      message: "Share of the model's window at which that happens",
      current: ({ compression }) => compression.threshold,
      check: (answer) => (Number(answer) >= 0.05 && Number(answer) <= 1 ? undefined : 'Between 0.05 and 1, please.'),
      onlyWith: { key: 'compression.enabled', answer: 'true' },
    },
  ],
  terminal: [
    {
      key: 'terminal.backend',
      message: 'Where commands run',
      current: ({ terminal }) => terminal.backend,
      choices: backends,
    },
    {
      key: 'terminal.ssh_host',
      message: 'The other machine: its name or address',
      current: ({ terminal }) => terminal.ssh_host ?? '',
      onlyWith: { key: 'terminal.backend', answer: 'ssh' },
    },
    {
      key: 'terminal.ssh_user',
      message: 'Your account on it',
      current: ({ terminal }) => terminal.ssh_user ?? '',
      onlyWith: { key: 'terminal.backend', answer: 'ssh' },
    },
    secret('DAYTONA_API_KEY', 'Your key of Daytona', 'daytona'),
    image('terminal.daytona_image', 'daytona', ({ terminal }) => terminal.daytona_image),
    secret('MODAL_TOKEN_ID', 'The id of your token of Modal', 'modal'),
    secret('MODAL_TOKEN_SECRET', 'The secret of that token', 'modal'),
    image('terminal.modal_image', 'modal', ({ terminal }) => terminal.modal_image),
    {
      key: 'terminal.cwd',
      message: 'Directory that commands start in (. is where you start hermes)',
      current: ({ terminal }) => terminal.cwd,
      check: (answer) => (isDirectory(answer) ? undefined : 'There is no such directory.'),
    },
    {
      key: 'terminal.timeout',
      message: 'Seconds a command may take',
      current: ({ terminal }) => terminal.timeout,
    },
  ],
};

function secret(key: AccountVariable, message: string, backend: string): SettingQuestion {
  return {
    key,
    message,
    current: (_config, env) => (isAccountVariableSet(env, key) ? 'set' : 'not set'),
    isSecret: true,
    onlyWith: { key: 'terminal.backend', answer: backend },
  };
}

function image(key: string, backend: string, current: SettingQuestion['current']): SettingQuestion {
  const message = 'Image that the sandbox is made from';
  return { key, message, current, onlyWith: { key: 'terminal.backend', answer: backend } };
}

function isDirectory(written: string): boolean {
  // `~` is somebody's home, which is there.
  return written.startsWith('~') || (statSync(resolve(written), { throwIfNoEntry: false })?.isDirectory() ?? false);
}
