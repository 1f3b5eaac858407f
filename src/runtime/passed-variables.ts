/** Which variables of this process the owner hands on to commands, and which of those stay with the agent all the same. */
import type { LoadedConfig } from '../config/load.ts';
import type { Variables } from '../config/variables.ts';
import type { Log } from '../lib/log.ts';
import { isNeverPassedOn } from '../safety/secret-variables.ts';

export interface PassedVariablesParts {
  readonly config: Pick<LoadedConfig, 'config'>;
  readonly env: Variables;
}

/** The token that `git` and `gh` in a container are given as a matter of course: whoever forwards it means them. */
const forwardable: ReadonlySet<string> = new Set(['GH_TOKEN', 'GITHUB_TOKEN']);

/** The names of `terminal.env_passthrough` without the agent's own. The log has a line for each that is left out. */
export function passableNames(parts: PassedVariablesParts & { readonly log: Log }): string[] {
  warn(parts.log, withheldFromCommands(parts));
  return parts.config.config.terminal.env_passthrough.filter((name) => !isNeverPassedOn(name));
}

/** The same of `terminal.docker_forward_env`, which may hand on the token of GitHub. */
export function forwardableNames(parts: PassedVariablesParts & { readonly log: Log }): string[] {
  const names = parts.config.config.terminal.docker_forward_env;
  const isName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
  for (const name of names.filter((each) => !isName(each))) {
    parts.log.warning(`terminal.docker_forward_env: ${JSON.stringify(name)} is no name of a variable`);
  }
  warn(parts.log, withheldFromContainers(parts));
  return names.filter((name) => isName(name) && !staysHere(name));
}

/** One line for each variable that is set, is named by the owner for commands, and does not get to them. */
export function withheldVariables(parts: PassedVariablesParts): string[] {
  const { backend } = parts.config.config.terminal;
  return [...withheldFromCommands(parts), ...(backend === 'docker' ? withheldFromContainers(parts) : [])];
}

function withheldFromCommands({ config, env }: PassedVariablesParts): string[] {
  return tell('terminal.env_passthrough', config.config.terminal.env_passthrough.filter(isNeverPassedOn), env);
}

function withheldFromContainers({ config, env }: PassedVariablesParts): string[] {
  return tell('terminal.docker_forward_env', config.config.terminal.docker_forward_env.filter(staysHere), env);
}

function staysHere(name: string): boolean {
  return isNeverPassedOn(name) && !forwardable.has(name);
}

function tell(setting: string, names: readonly string[], env: Variables): string[] {
  return names
    .filter((name) => Object.hasOwn(env, name))
    .map(
      (name) =>
        `${setting}: ${name} is not handed on: it is the agent's own, and commands never get it. Give them a key of their own under another name`,
    );
}

function warn(log: Log, lines: readonly string[]): void {
  for (const line of lines) log.warning(line);
}
