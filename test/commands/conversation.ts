/** A surface for slash commands: a real session on a real store in a home of its own, answered by a fake model server. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { headless } from '../../src/agent/human.ts';
import { checkpointLimits } from '../../src/checkpoints/limits.ts';
import { chatKeys } from '../../src/commands/keys.ts';
import { commandsWith } from '../../src/commands/plugin-commands.ts';
import { TerminalTasks } from '../../src/cli/background/terminal-tasks.ts';
import type { KeptTask } from '../../src/cli/background/kept-tasks.ts';
import { expandTyped } from '../../src/cli/chat/expand-typed.ts';
import type { GatewayDoor } from '../../src/commands/gateway-door.ts';
import type { SurfaceSettings, TerminalContext } from '../../src/commands/command.ts';
import { resolveCommand } from '../../src/commands/resolve.ts';
import { updateConfig } from '../../src/config/edit.ts';
import { loadConfig } from '../../src/config/load.ts';
import { UserError } from '../../src/lib/errors.ts';
import { openProgram } from '../../src/runtime/open-program.ts';
import type { Session } from '../../src/runtime/session.ts';
import type { SessionSpec } from '../../src/runtime/session-spec.ts';
import type { SessionStore } from '../../src/sessions/session-store.ts';
import { MemoryWorkQueue } from '../../src/worker/memory-work-queue.ts';
import { openWorker } from '../../src/worker/open-worker.ts';
import type { SessionWorker } from '../../src/worker/session-worker.ts';
import type { WorkerEvent } from '../../src/worker/worker.ts';
import { configFor } from '../cli/hermes-process.ts';
import { type TemporaryHome, temporaryHome } from '../config/temporary-home.ts';
import type { ModelServer } from '../fakes/model-server.ts';

export interface Conversation {
  readonly homePath: string;
  /** The session that is talked to now. */
  readonly session: Session;
  readonly worker: SessionWorker;
  readonly store: SessionStore;
  readonly settings: SurfaceSettings;
  /** Questions that commands asked. */
  readonly asked: readonly string[];
  readonly copied: readonly string[];
  /** Put into the input line. */
  readonly offered: readonly string[];
  /** Files that are to go along with the next message. */
  readonly pictures: readonly string[];
  /** Background tasks, as they were shown when they had ended. */
  readonly shown: readonly Omit<KeptTask, 'owner'>[];
  readonly tasks: TerminalTasks;
  readonly quits: number;
  /** What the user was told unasked, line by line. */
  readonly warnings: readonly string[];
  /** What the user was told was learned. */
  readonly learned: readonly string[];
  /** What the next question of a command is answered with; at first it is yes. */
  answer: boolean;
  /** The text of config.yaml as it is now. */
  config(): string;
  /** Runs a turn to its end; returns its answer. */
  say(text: string): Promise<string | null>;
  /** Runs a command line; returns what was printed. Rejects with what the command throws. */
  type(line: string): Promise<string>;
  /** Ctrl+C while a command waits for something. */
  stop(): void;
  /** Ends it, as the user does who leaves. */
  leave(): Promise<void>;
}

export interface Opening {
  readonly preload?: readonly string[];
  /** A home that is there already; its `config.yaml` is written anew. Default: an empty one. */
  readonly place?: TemporaryHome;
  readonly env?: Readonly<Record<string, string>>;
  /** The sessions give themselves titles and look back, as where somebody sits. */
  readonly learns?: boolean;
  /** Id of the session to continue. */
  readonly resume?: string;
  readonly gateway?: GatewayDoor;
}

const noGateway: GatewayDoor = {
  lines: () => Promise.resolve(['(the gateway)']),
  home: () => Promise.reject(new UserError('The gateway does not run, so nobody could take the conversation.')),
  footer: () => Promise.resolve([]),
};

/** Opens it; everything is closed after the test. */
export async function openConversation(
  t: TestContext,
  server: ModelServer,
  moreConfig = '',
  opening: Opening = {},
): Promise<Conversation> {
  const { learns = false, preload = [], place = temporaryHome(t) } = opening;
  const { home, write } = place;
  const env = { ...place.env, ...opening.env };
  write('config.yaml', configFor(server) + moreConfig);
  const work = join(home.path, '..', 'work');
  mkdirSync(work, { recursive: true });
  const config = await loadConfig({ home, env });
  const program = await openProgram({ home, env, config, cwd: work });
  t.after(() => program.close());
  const { store } = program;
  if (store === undefined) throw new Error(program.warnings.join('\n'));
  const warnings: string[] = [];
  const learned: string[] = [];
  const common: SessionSpec = {
    surface: 'cli',
    human: headless,
    source: 'test',
    mode: { learns },
    notify: ({ kind, line }) => void (kind === 'learned' ? learned : warnings).push(line),
  };
  const row = opening.resume === undefined ? undefined : await store.sessions.get(opening.resume);
  const first = { prompt: { preload }, ...(row === undefined ? {} : { resume: row }) };
  const results: ((answer: string | null) => void)[] = [];
  const printed: string[] = [];
  const asked: string[] = [];
  const copied: string[] = [];
  const offered: string[] = [];
  const pictures: string[] = [];
  const shown: Omit<KeptTask, 'owner'>[] = [];
  let quits = 0;
  const stopping = new AbortController();
  let worker = await open(first);
  const tasks = new TerminalTasks({
    program,
    prepare: expandTyped,
    human: headless,
    like: () => ({ spec: common, session: worker.session }),
    show: (task) => void shown.push(task),
    changed: () => undefined,
    log: program.log,
  });

  async function open(spec: Partial<SessionSpec>): Promise<SessionWorker> {
    const opened = await openWorker(program, { ...common, ...spec }, { queue: new MemoryWorkQueue() });
    opened.listen((event: WorkerEvent) => {
      if (event.type === 'turn_finished') results.shift()?.(event.result.finalResponse);
    });
    return opened;
  }

  async function leave(reason: string): Promise<void> {
    await worker.close();
    await worker.session.close(reason);
  }

  const conversation: Conversation = {
    homePath: home.path,
    get session() {
      return worker.session;
    },
    get worker() {
      return worker;
    },
    store,
    settings: {
      toolProgress: 'all',
      busyMode: 'interrupt',
      showReasoning: false,
      fullReasoning: false,
      statusBar: true,
      timestamps: false,
      timestampFormat: '%H:%M',
    },
    asked,
    copied,
    offered,
    pictures,
    shown,
    tasks,
    warnings,
    learned,
    get quits() {
      return quits;
    },
    answer: true,
    config: () => readFileSync(join(home.path, 'config.yaml'), 'utf8'),
    async say(text) {
      const result = new Promise<string | null>((resolve) => void results.push(resolve));
      await worker.submit({ content: text });
      const answer = await result;
      if ((await worker.waiting()).length === 0) await worker.settled();
      return answer;
    },
    async type(line) {
      const resolved = resolveCommand(line, commandsWith(program), { isExistingPath: () => false });
      if (resolved.kind !== 'command') throw new Error(`${line} is no command`);
      const { busy } = worker;
      await resolved.command.run(context(), resolved.args);
      if (!busy) await worker.settled();
      return printed.splice(0).join('\n');
    },
    stop: () => stopping.abort(),
    async leave() {
      await leave('cli_close');
      await program.close();
    },
  };

  function context(): TerminalContext {
    return {
      session: worker.session,
      worker,
      store,
      source: 'test',
      commands: commandsWith(program),
      tasks,
      gateway: opening.gateway ?? noGateway,
      keys: chatKeys,
      about: {
        version: '1.2.3',
        profile: 'default',
        homePath: '~/.hermes',
        cwd: '~/work',
        startedAt: Date.now(),
        paths: {
          homePath: home.path,
          cwd: work,
          env,
          checkpoints: () => checkpointLimits(config),
          async skillRules() {
            const { security, skills } = (await loadConfig({ home, env })).config;
            return { allowPrivateUrls: security.allow_private_urls, disabled: skills.disabled };
          },
        },
      },
      ui: {
        print: (text) => void printed.push(text),
        offerInput: (text) => void offered.push(text),
        confirm: (question) => {
          asked.push(question);
          return Promise.resolve(conversation.answer);
        },
        clearScreen: () => void printed.push('(cleared)'),
        redraw: () => void printed.push('(redrawn)'),
        copy: (text) => void copied.push(text),
        saveFile: (relativePath, text) => {
          const path = join(home.path, relativePath);
          mkdirSync(dirname(path), { recursive: true });
          writeFileSync(path, text);
          return Promise.resolve(path);
        },
        runProgram: (words) => Promise.resolve(`(ran hermes ${words.join(' ')})`),
        compose: (draft) => Promise.resolve(draft === '' ? undefined : `${draft}, composed`),
        stoppable: (work) => work(stopping.signal),
        pictures: { add: (path) => void pictures.push(path), paste: () => Promise.resolve(false) },
      },
      navigation: {
        async switchSession(next, reason) {
          const { resume, keepModel, toolsets } = next;
          const like = {
            ...(keepModel === true ? { route: worker.session.agent.route } : {}),
            ...(toolsets === undefined ? {} : { toolsets }),
          };
          const opened = await open({ ...(resume === undefined ? {} : { resume }), ...like });
          await leave(reason);
          worker = opened;
          return worker.session;
        },
        putDown: () => {
          quits += 1;
        },
        quit: () => {
          quits += 1;
        },
      },
      settings: {
        display: conversation.settings,
        reloadVariables: () => [],
        looks: { current: 'default', helpHeader: '', list: () => Promise.resolve([]), wear: () => Promise.resolve([]) },
        allowed: async () => {
          const { approvals, command_allowlist } = (await loadConfig({ home, env })).config;
          return { commands: approvals.allow, kinds: command_allowlist };
        },
        report: () => Promise.resolve('the report'),
        save: async (changes) => void (await updateConfig({ home, env }, changes)),
      },
    };
  }
  return conversation;
}
