/** Puts together what the tools of one session may reach. */
import { homedir } from 'node:os';
import type { Environment } from '../environments/environment.ts';
import { createLocalEnvironment } from '../environments/local/local-environment.ts';
import type { SandboxPlaces } from '../environments/local/sandbox/places.ts';
import { searchPathOf } from '../environments/local/search-path.ts';
import { createProcessRegistry } from '../environments/process-registry.ts';
import { childEnvironment } from '../safety/child-env.ts';
import { findPlaces, type PathGuardOptions } from '../safety/known-places.ts';
import { createPathGuard, type PathGuard } from '../safety/paths.ts';
import { createRedactor, type Redactor } from '../safety/redact.ts';
import { FileWrites } from '../tools/file/file-writes.ts';
import { ReadLedger } from '../tools/file/read-ledger.ts';
import { AllowedCommands } from '../tools/policy/allowed-commands.ts';
import { createGuardedFiles } from '../tools/policy/guarded-files.ts';
import { KnownHosts } from '../tools/policy/known-hosts.ts';
import type { Knowledge, ToolServices } from '../tools/services.ts';
import { SudoPassword } from '../tools/terminal/sudo-password.ts';
import { TypedInput } from '../tools/terminal/typed-input.ts';
import { UnconfinedNotice } from '../tools/terminal/unconfined-notice.ts';
import { WithheldCommands } from '../tools/terminal/withheld-commands.ts';
import { TodoList } from '../tools/todo/todo-list.ts';
import { FoundTools } from '../tools/tool-search/found-tools.ts';
import { openRemoteBackend, type RemoteBackend } from './backends/catalogue.ts';
import { localStart } from './backends/local-start.ts';
import { configuredHosts } from './configured-hosts.ts';
import { commandHome } from './command-home.ts';
import { passableNames } from './passed-variables.ts';
import { realPathOrSame, thisDisk } from './this-disk.ts';
import { sessionBrowser } from './session-browser.ts';
import { sessionComputer } from './session-computer.ts';
import { knownSecrets } from './secret-mask.ts';
import type { SessionParts } from './session-parts.ts';
import { sessionHomeAssistant } from './session-home-assistant.ts';
import { sessionWeb } from './session-web.ts';
import type { GatewayParts } from './tool-gateway.ts';
import { pathsOf } from './tool-paths.ts';
import { programFolder } from './workspace-folder.ts';

export type ToolServiceParts = Pick<
  SessionParts,
  'home' | 'env' | 'config' | 'cwd' | 'store' | 'log' | 'fileWrites' | 'browsers' | 'findings' | 'scanner'
> &
  Partial<Pick<SessionParts, 'models'>>;

/** What tools may reach, and what those who bring skills must know of the place where commands run. */
export type OpenedServices = ToolServices & Pick<RemoteBackend, 'shareFiles' | 'pathThere'>;

/** Starts nothing: shells and sandboxes come to life with their first command. */
export function createToolServices(
  parts: ToolServiceParts,
  sessionId: string,
  knowledge: Knowledge = {},
): OpenedServices {
  const { config, store } = parts;
  const redactor = new SessionRedactor(parts);
  const onToken = (token: string): void => redactor.maskValues([token]);
  const { environment, insideContainer, shareFiles, pathThere } = openBackend({ ...parts, onToken }, sessionId);
  const web = sessionWeb({ ...parts, onToken });
  const guard = openGuard(parts, environment);
  const homeAssistant = sessionHomeAssistant(parts);
  const computer = sessionComputer(parts, sessionId);
  return {
    config: config.config,
    processSettings: config.process,
    configProblems: config.problems,
    environment,
    files: createGuardedFiles(environment.files, guard),
    guard,
    paths: pathsOf(parts, environment),
    insideContainer,
    processes: createProcessRegistry({
      homePath: parts.home.path,
      redact: (text) => redactor.redact(text),
      sessionKey: sessionId,
      log: parts.log.named('environments'),
    }),
    state: {
      readLedger: new ReadLedger(),
      fileWrites: parts.fileWrites ?? new FileWrites(),
      ...(parts.scanner === undefined ? {} : { scanner: parts.scanner }),
      todos: new TodoList(),
      foundTools: new FoundTools(),
      web,
      typedInput: new TypedInput(),
      browser: sessionBrowser({ ...parts, onToken }, web, sessionId),
      ...(homeAssistant === undefined ? {} : { homeAssistant }),
      ...(computer === undefined ? {} : { computer }),
      hosts: new KnownHosts(configuredHosts(parts.env, homedir())),
      sudo: new SudoPassword(),
      allowedCommands: new AllowedCommands(config.config.approvals.allow),
      withheld: new WithheldCommands(),
      unconfined: new UnconfinedNotice(),
      allowedSkillChanges: new WeakMap(),
    },
    knowledge,
    edits: {},
    ...(store === undefined ? {} : { outsideRuns: store.outsideRuns }),
    redact: (text) => redactor.redact(text),
    maskValues: (values) => redactor.maskValues(values),
    shareFiles,
    pathThere,
  };
}

function openGuard({ home, findings }: ToolServiceParts, { cwd }: Environment): PathGuard {
  const places = {
    homePath: home.path,
    root: home.root,
    userHome: homedir(),
    workspace: realPathOrSame(cwd),
    program: findings?.program.get('', programFolder) ?? programFolder(),
  };
  const options: PathGuardOptions = { ...places, follow: realPathOrSame, disk: thisDisk };
  const find = () => findPlaces(options);
  return createPathGuard(options, findings?.places.get(JSON.stringify(places), find) ?? find());
}

function openBackend(parts: ToolServiceParts & Pick<GatewayParts, 'onToken'>, sessionId: string): RemoteBackend {
  const { backend } = parts.config.config.terminal;
  if (backend !== 'local') return openRemoteBackend(backend, parts);
  return {
    environment: createEnvironment(parts, sessionId),
    insideContainer: false,
    shareFiles: () => undefined,
    pathThere: (path) => path,
  };
}

function createEnvironment(parts: ToolServiceParts, sessionId: string): Environment {
  const { config, env, cwd, home, log } = parts;
  const { terminal, tool_output } = config.config;
  const start = localStart(cwd, terminal);
  const commandEnv = {
    ...childEnvironment(env, { passthrough: passableNames(parts) }),
    ...commandHome({ mode: terminal.home_mode, homePath: home.path, env }),
  };
  return createLocalEnvironment({
    cwd: start,
    env: commandEnv,
    shellInitFiles: terminal.shell_init_files,
    autoSourceBashrc: terminal.auto_source_bashrc,
    sessionId,
    homePath: home.path,
    ...(terminal.sandbox === 'off' ? {} : { loadSandboxPlaces: () => loadSandboxPlaces(home, start, commandEnv) }),
    graceMs: terminal.daemon_term_grace_seconds * 1000,
    maxOutputChars: tool_output.max_bytes,
    log: log.named('environments'),
  });
}

/** Only sessions with a confined command need it. */
async function loadSandboxPlaces(
  home: ToolServiceParts['home'],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<() => SandboxPlaces> {
  const { createSandboxPlaces } = await import('./sandbox-places.ts');
  return createSandboxPlaces({
    homePath: home.path,
    root: home.root,
    userHomes: [homedir(), ...Object.entries(env).flatMap(([name, value]) => (name === 'HOME' ? [value] : []))],
    cwd,
    path: searchPathOf(env),
  });
}

/** Secrets that this process knows are masked by value, whatever they look like. */
class SessionRedactor {
  readonly #enabled: boolean;
  readonly #values: Set<string>;
  #redact: Redactor;

  constructor(parts: Pick<SessionParts, 'config' | 'env'>) {
    this.#enabled = parts.config.config.security.redact_secrets;
    this.#values = new Set(knownSecrets(parts));
    this.#redact = this.#create();
  }

  redact(text: string): string {
    return this.#redact(text);
  }

  maskValues(values: readonly string[]): void {
    const known = this.#values.size;
    for (const value of values) this.#values.add(value);
    if (this.#values.size > known) this.#redact = this.#create();
  }

  #create(): Redactor {
    return createRedactor({ enabled: this.#enabled, secretValues: [...this.#values] });
  }
}
