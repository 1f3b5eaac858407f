/** The configuration as environment variables, for child processes and plugins that read those. */
import { auxiliaryVariables, terminalVariable } from './env-layers.ts';
import type { Env } from './home.ts';
import type { LoadedConfig } from './load.ts';

/**
 * The variables to lay over `env` for a child. A value that an administrator, a flag or the file sets replaces the
 * variable; a mere default never replaces one that is set. Lists and maps are JSON. Auxiliary tasks are exported only
 * where they differ from the default.
 */
export function bridgeEnvironment(loaded: LoadedConfig, env: Env): Record<string, string> {
  const { config } = loaded;
  const exported: Record<string, string> = {};
  const add = (key: string, variable: string, value: unknown): void => {
    const text = asText(value);
    if (text === undefined) return;
    if (loaded.source(key) === 'default' && env[variable] !== undefined) return;
    exported[variable] = text;
  };
  for (const [key, value] of Object.entries(config.terminal)) add(`terminal.${key}`, terminalVariable(key), value);
  for (const { variable, path } of auxiliaryVariables()) {
    const value = auxiliaryValue(loaded, path);
    if (loaded.source(path) !== 'default' && value !== '') add(path, variable, value);
  }
  add('browser.inactivity_timeout', 'BROWSER_INACTIVITY_TIMEOUT', config.browser.inactivity_timeout);
  add('agent.max_turns', 'HERMES_MAX_ITERATIONS', config.agent.max_turns);
  add('timezone', 'HERMES_TIMEZONE', config.timezone || undefined);
  add('human_delay.mode', 'HERMES_HUMAN_DELAY_MODE', config.human_delay.mode);
  add('human_delay.min_ms', 'HERMES_HUMAN_DELAY_MIN_MS', config.human_delay.min_ms);
  add('human_delay.max_ms', 'HERMES_HUMAN_DELAY_MAX_MS', config.human_delay.max_ms);
  add('security.redact_secrets', 'HERMES_REDACT_SECRETS', config.security.redact_secrets);
  add('display.busy_input_mode', 'HERMES_GATEWAY_BUSY_INPUT_MODE', config.display.busy_input_mode);
  add('display.busy_ack_enabled', 'HERMES_GATEWAY_BUSY_ACK_ENABLED', config.display.busy_ack_enabled);
  return exported;
}

function auxiliaryValue({ config }: LoadedConfig, path: string): unknown {
  const { vision, web_extract, approval } = config.auxiliary;
  const [, task, field] = path.split('.');
  const settings = { vision, web_extract, approval };
  const chosen = Object.entries(settings).find(([name]) => name === task)?.[1];
  return Object.entries(chosen ?? {}).find(([name]) => name === field)?.[1];
}

function asText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
