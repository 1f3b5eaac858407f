/** Puts together what the tools of one session may reach. */
import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { Environment } from '../environments/environment.ts';
import { createLocalEnvironment } from '../environments/local/local-environment.ts';
import { createProcessRegistry } from '../environments/process-registry.ts';
import { UserError } from '../lib/errors.ts';
import { childEnvironment } from '../safety/child-env.ts';
import { createPathGuard } from '../safety/paths.ts';
import { createRedactor, type Redactor } from '../safety/redact.ts';
import { secretValuesOf } from '../safety/secret-variables.ts';
import { ReadLedger } from '../tools/file/read-ledger.ts';
import { createGuardedFiles } from '../tools/policy/guarded-files.ts';
import type { ToolServices, ToolSettings } from '../tools/services.ts';
import { TodoList } from '../tools/todo/todo-list.ts';
import type { RuntimeOptions } from './runtime-options.ts';

/** Starts nothing: shells and sandboxes come to life with their first command. */
export function createToolServices(options: RuntimeOptions, sessionId: string): ToolServices {
  const environment = createEnvironment(options, sessionId);
  const { redact, maskValues } = sessionRedactor(options);
  const guard = createPathGuard({
    homePath: options.home.path,
    root: options.home.root,
    userHome: homedir(),
    follow: realPathOrSame,
  });
  return {
    environment,
    files: createGuardedFiles(environment.files, guard),
    mayRead: (realPath) => guard.denyRead(realPath) === undefined,
    processes: createProcessRegistry({ homePath: options.home.path, redact, sessionKey: sessionId }),
    readLedger: new ReadLedger(),
    todos: new TodoList(),
    settings: toolSettings(options),
    redact,
    maskValues,
  };
}

function createEnvironment(options: RuntimeOptions, sessionId: string): Environment {
  const { terminal, tool_output } = options.config.config;
  if (terminal.backend !== 'local') {
    throw new UserError(`The terminal backend '${terminal.backend}' is not available in this build.`, {
      hint: 'Use this machine instead: hermes config set terminal.backend local',
    });
  }
  return createLocalEnvironment({
    cwd: resolve(options.cwd, expandHome(terminal.cwd)),
    env: childEnvironment(options.env, { passthrough: terminal.env_passthrough }),
    shellInitFiles: terminal.shell_init_files,
    autoSourceBashrc: terminal.auto_source_bashrc,
    persistent: terminal.local_persistent ?? true,
    sessionId,
    homePath: options.home.path,
    maxOutputChars: tool_output.max_bytes,
  });
}

function expandHome(path: string): string {
  return path === '~' || path.startsWith('~/') ? `${homedir()}${path.slice(1)}` : path;
}

/** Secrets that this process knows are masked by value, whatever they look like. */
function sessionRedactor({ config, env }: RuntimeOptions): Pick<ToolServices, 'redact' | 'maskValues'> {
  const { model, custom_providers, fallback_providers, security } = config.config;
  const keys = [model, ...custom_providers, ...fallback_providers].flatMap(({ api_key }) => api_key ?? []);
  const secretValues = new Set([...secretValuesOf(env), ...keys.filter((key) => key !== '')]);
  const create = (): Redactor => createRedactor({ enabled: security.redact_secrets, secretValues: [...secretValues] });
  let redact = create();
  return {
    redact: (text) => redact(text),
    maskValues(values) {
      const known = secretValues.size;
      for (const value of values) secretValues.add(value);
      if (secretValues.size > known) redact = create();
    },
  };
}

function toolSettings({ config, env }: RuntimeOptions): ToolSettings {
  const { terminal, tool_output, file_read_max_chars } = config.config;
  const problem = config.problems.find(({ variable }) => variable.startsWith('TERMINAL_'));
  return {
    terminalTimeoutSeconds: terminal.timeout,
    maxOutputChars: tool_output.max_bytes,
    maxReadLines: tool_output.max_lines,
    maxLineLength: tool_output.max_line_length,
    maxReadChars: file_read_max_chars,
    fileStateGuard: !['1', 'true', 'yes', 'on'].includes((env['HERMES_DISABLE_FILE_STATE_GUARD'] ?? '').toLowerCase()),
    ...(problem === undefined ? {} : { terminalProblem: `${problem.variable}: ${problem.message}` }),
  };
}

function realPathOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
