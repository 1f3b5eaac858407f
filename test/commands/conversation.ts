/** A surface for slash commands: a real session on a real store in a home of its own, answered by a fake model server. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { headless } from '../../src/agent/human.ts';
import { slashCommands } from '../../src/commands/catalogue.ts';
import type { CommandContext, SurfaceSettings } from '../../src/commands/command.ts';
import { resolveCommand } from '../../src/commands/resolve.ts';
import { updateConfig } from '../../src/config/edit.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { Content } from '../../src/llm/message.ts';
import { createRuntime } from '../../src/runtime/create-runtime.ts';
import type { OpenSessionOptions, Session } from '../../src/runtime/runtime.ts';
import type { SessionStore } from '../../src/sessions/session-store.ts';
import { configFor } from '../cli/hermes-process.ts';
import { type TemporaryHome, temporaryHome } from '../config/temporary-home.ts';
import type { ModelServer } from '../fakes/model-server.ts';

export interface Conversation {
  readonly homePath: string;
  /** The session that is talked to now. */
  readonly session: Session;
  readonly store: SessionStore;
  readonly settings: SurfaceSettings;
  /** Questions that commands asked. */
  readonly asked: readonly string[];
  readonly copied: readonly string[];
  readonly quits: number;
  /** What the user was told unasked, line by line. */
  readonly warnings: readonly string[];
  /** What the user was told was learned. */
  readonly learned: readonly string[];
  /** What the next question of a command is answered with; at first it is yes. */
  answer: boolean;
  /** The text of config.yaml as it is now. */
  config(): string;
  /** Runs a turn to its end; returns the answer. */
  say(text: string): Promise<string | null>;
  /** Runs a command line; returns what was printed. Rejects with what the command throws. */
  type(line: string): Promise<string>;
  /** Ends it, as the user does who leaves. */
  leave(): Promise<void>;
}

export interface Opening extends Pick<OpenSessionOptions, 'preload'> {
  /** A home that is there already; its `config.yaml` is written anew. Default: an empty one. */
  readonly place?: TemporaryHome;
  readonly env?: Readonly<Record<string, string>>;
  /** The sessions give themselves titles and look back, as where somebody sits. */
  readonly learns?: boolean;
  /** Id of the session to continue. */
  readonly resume?: string;
}

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
  const runtime = await createRuntime({
    home,
    env,
    config,
    cwd: work,
    surface: 'cli',
    allowDemo: false,
    yolo: false,
    passSessionId: false,
    ignoreRules: false,
  });
  t.after(() => runtime.close());
  const { store } = runtime;
  if (store === undefined) throw new Error(runtime.warnings.join('\n'));
  const warnings: string[] = [];
  const learned: string[] = [];
  const common: OpenSessionOptions = {
    human: headless,
    source: 'test',
    learns,
    onWarning: (line) => void warnings.push(line),
    onLearned: (line) => void learned.push(line),
  };
  const row = opening.resume === undefined ? undefined : await store.sessions.get(opening.resume);
  let session = await runtime.openSession({ ...common, preload, ...(row === undefined ? {} : { resume: row }) });
  const sent: Content[] = [];
  const printed: string[] = [];
  const asked: string[] = [];
  const copied: string[] = [];
  let quits = 0;

  async function say(content: Content): Promise<string | null> {
    return (await session.agent.runConversation(content)).finalResponse;
  }

  const conversation: Conversation = {
    homePath: home.path,
    get session() {
      return session;
    },
    store,
    settings: { toolProgress: 'all', busyMode: 'interrupt', showReasoning: false, statusBar: true },
    asked,
    copied,
    warnings,
    learned,
    get quits() {
      return quits;
    },
    answer: true,
    config: () => readFileSync(join(home.path, 'config.yaml'), 'utf8'),
    say,
    async type(line) {
      const resolved = resolveCommand(line, slashCommands, () => false);
      if (resolved.kind !== 'command') throw new Error(`${line} is no command`);
      await resolved.command.run(context(), resolved.args);
      for (const message of sent.splice(0)) await say(message);
      return printed.splice(0).join('\n');
    },
    async leave() {
      await session.close('user_exit');
      await runtime.close();
    },
  };

  function context(): CommandContext {
    return {
      session,
      store,
      source: 'test',
      settings: conversation.settings,
      commands: slashCommands,
      about: { version: '1.2.3', profile: 'default', homePath: '~/.hermes', cwd: '~/work', startedAt: Date.now() },
      print: (text) => void printed.push(text),
      confirm: (question) => {
        asked.push(question);
        return Promise.resolve(conversation.answer);
      },
      async switchSession(next, reason) {
        const previous = session;
        session = await runtime.openSession({ ...common, ...next });
        await previous.close(reason);
        return session;
      },
      send: (message) => void sent.push(message),
      clearScreen: () => void printed.push('(cleared)'),
      redraw: () => void printed.push('(redrawn)'),
      copy: (text) => void copied.push(text),
      configReport: () => Promise.resolve('the report'),
      saveFile: (relativePath, text) => {
        const path = join(home.path, relativePath);
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, text);
        return Promise.resolve(path);
      },
      saveSettings: async (changes) => void (await updateConfig({ home, env }, changes)),
      quit: () => {
        quits += 1;
      },
    };
  }
  return conversation;
}
