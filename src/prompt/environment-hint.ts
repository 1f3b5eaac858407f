/** Where commands run, told to the model. */
import type { PromptTool } from './guidance.ts';

export interface EnvironmentFacts {
  /** `local`, or the kind of the place commands run in. */
  readonly kind: string;
  /** Operating system and release of that place; empty when nobody knows. */
  readonly platform: string;
  /** Home directory there; empty when nobody knows. */
  readonly home: string;
  readonly cwd: string;
  /** Facts about a shell that is not what the system suggests. */
  readonly shell?: 'windows' | 'wsl';
  /** What is unusual about the Python of this machine. */
  readonly toolchain?: string;
  /** What whoever set this up has to say about the place. */
  readonly hint?: string;
}

/** Empty when no tool works with commands or files. Of a remote place nothing about this machine is said. */
export function environmentHint(tools: readonly PromptTool[], environment: EnvironmentFacts): string {
  if (!tools.some(({ traits }) => traits.usesWorkspace === true)) return '';
  const { kind, platform, home, cwd, toolchain = '' } = environment;
  const hint = environment.hint?.trim() ?? '';
  const facts = [
    platform === '' ? '' : `Operating system: ${platform}.`,
    home === '' ? '' : `Home: ${home}.`,
    `Working directory: ${cwd}.`,
    hint,
  ].filter((fact) => fact !== '');
  if (kind !== 'local')
    return `Commands and files are in a ${kind} environment, not on the user's machine. ${facts.join(' ')}`;
  const shell = environment.shell === undefined ? [] : [shellNotes[environment.shell]];
  return [...facts, ...shell, ...(toolchain === '' ? [] : [`Python: ${toolchain}`])].join(' ');
}

/** What the operating system of this machine means for the shell. `release` is that of the kernel. */
export function shellOf(platform: NodeJS.Platform, release: string): 'windows' | 'wsl' | undefined {
  if (platform === 'win32') return 'windows';
  return platform === 'linux' && /microsoft/i.test(release) ? 'wsl' : undefined;
}

const shellNotes = {
  windows: 'The shell is bash, not PowerShell or cmd. The host name is not the name of the user.',
  wsl: 'This is Linux inside Windows (WSL); Windows drives are below /mnt. The host name is not the name of the user.',
} as const;
