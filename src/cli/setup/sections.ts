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
  /** It may be left empty. */
  readonly isOptional?: true;
  /** What can be answered; else anything that the key takes. A single choice is not asked for. */
  readonly choices?: readonly Choice[];
  /** A further complaint about an answer. */
  readonly check?: (answer: string) => string | undefined;
  /** The question makes sense only with one of those answers to an earlier one. */
  readonly onlyWith?: { readonly key: string; readonly answers: readonly string[] };
}

export type QuestionedSection = 'agent' | 'terminal';

const backends: readonly Choice[] = [
  { value: 'local', label: 'this machine' },
  { value: 'docker', label: 'a Docker container' },
  { value: 'ssh', label: 'another machine, through SSH' },
  { value: 'modal', label: 'Modal' },
  { value: 'daytona', label: 'Daytona' },
  { value: 'singularity', label: 'a Singularity container' },
];

/** Backends whose sandboxes have a size. */
const sandboxes: readonly string[] = ['docker', 'singularity', 'modal', 'daytona'];

export const sectionQuestions: Readonly<Record<QuestionedSection, readonly SettingQuestion[]>> = {
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
      onlyWith: { key: 'compression.enabled', answers: ['true'] },
    },
    {
      key: 'session_reset.mode',
      message: 'When a conversation on a chat platform starts afresh by itself',
      current: ({ session_reset: { mode } }) => mode,
      choices: [
        { value: 'none', label: 'never: /new starts one' },
        { value: 'idle', label: 'after a time without a message' },
        { value: 'daily', label: 'once a day' },
        { value: 'both', label: 'whichever of the two comes first' },
      ],
    },
    {
      key: 'session_reset.idle_minutes',
      message: 'Minutes without a message after which it does',
      current: ({ session_reset: { idle_minutes: minutes } }) => minutes,
      onlyWith: { key: 'session_reset.mode', answers: ['idle', 'both'] },
    },
    {
      key: 'session_reset.at_hour',
      message: 'Hour of the day at which it does (0 to 23)',
      current: ({ session_reset: { at_hour: hour } }) => hour,
      onlyWith: { key: 'session_reset.mode', answers: ['daily', 'both'] },
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
      onlyWith: { key: 'terminal.backend', answers: ['ssh'] },
    },
    {
      key: 'terminal.ssh_user',
      message: 'Your account on it',
      current: ({ terminal }) => terminal.ssh_user ?? '',
      onlyWith: { key: 'terminal.backend', answers: ['ssh'] },
    },
    {
      key: 'terminal.ssh_port',
      message: 'The port that its SSH listens on',
      current: ({ terminal }) => terminal.ssh_port,
      onlyWith: { key: 'terminal.backend', answers: ['ssh'] },
    },
    {
      key: 'terminal.ssh_key',
      message: 'File of your SSH key (empty: what ssh finds by itself)',
      current: ({ terminal }) => terminal.ssh_key ?? '',
      isOptional: true,
      check: (answer) => (answer === '' || isFile(answer) ? undefined : 'There is no such file.'),
      onlyWith: { key: 'terminal.backend', answers: ['ssh'] },
    },
    image('terminal.docker_image', 'docker', ({ terminal }) => terminal.docker_image),
    image('terminal.singularity_image', 'singularity', ({ terminal }) => terminal.singularity_image),
    secret('DAYTONA_API_KEY', 'Your key of Daytona', 'daytona'),
    image('terminal.daytona_image', 'daytona', ({ terminal }) => terminal.daytona_image),
    {
      key: 'terminal.modal_mode',
      message: 'How Modal is reached',
      current: ({ terminal }) => terminal.modal_mode,
      choices: [
        {
          value: 'auto',
          label: 'through the tool gateway where a subscription of Nous Portal includes it, else with a token',
        },
        { value: 'direct', label: 'with a token of yours' },
        { value: 'managed', label: 'through the tool gateway of Nous Portal' },
      ],
      onlyWith: { key: 'terminal.backend', answers: ['modal'] },
    },
    secret('MODAL_TOKEN_ID', 'The id of your token of Modal', 'modal'),
    secret('MODAL_TOKEN_SECRET', 'The secret of that token', 'modal'),
    image('terminal.modal_image', 'modal', ({ terminal }) => terminal.modal_image),
    {
      key: 'terminal.container_persistent',
      message: 'Keep the files of the sandbox from one conversation to the next?',
      current: ({ terminal }) => terminal.container_persistent,
      onlyWith: { key: 'terminal.backend', answers: sandboxes },
    },
    {
      key: 'terminal.container_cpu',
      message: 'Processors that the sandbox gets',
      current: ({ terminal }) => terminal.container_cpu,
      onlyWith: { key: 'terminal.backend', answers: sandboxes },
    },
    {
      key: 'terminal.container_memory',
      message: 'Its memory in MB',
      current: ({ terminal }) => terminal.container_memory,
      onlyWith: { key: 'terminal.backend', answers: sandboxes },
    },
    {
      key: 'terminal.container_disk',
      message: 'Its disk in MB',
      current: ({ terminal }) => terminal.container_disk,
      onlyWith: { key: 'terminal.backend', answers: sandboxes },
    },
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
    onlyWith: { key: 'terminal.backend', answers: [backend] },
  };
}

function image(key: string, backend: string, current: SettingQuestion['current']): SettingQuestion {
  const message = 'Image that the sandbox is made from';
  return { key, message, current, onlyWith: { key: 'terminal.backend', answers: [backend] } };
}

function isDirectory(written: string): boolean {
  // `~` is somebody's home, which is there.
  return written.startsWith('~') || (statSync(resolve(written), { throwIfNoEntry: false })?.isDirectory() ?? false);
}

function isFile(written: string): boolean {
  return written.startsWith('~') || (statSync(resolve(written), { throwIfNoEntry: false })?.isFile() ?? false);
}
