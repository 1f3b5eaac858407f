/** Programs on a home whose model is a fake server, opened as often as a test wants: as several processes would. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import type { AgentEvent, TurnResult } from '../../src/agent/events.ts';
import { type ApprovalChoice, type ApprovalRequest, type Human, headless } from '../../src/agent/human.ts';
import { loadConfig } from '../../src/config/load.ts';
import { openProgram } from '../../src/runtime/open-program.ts';
import type { Program } from '../../src/runtime/program.ts';
import type { Session } from '../../src/runtime/session.ts';
import type { SessionSpec } from '../../src/runtime/session-spec.ts';
import type { SessionStore } from '../../src/sessions/session-store.ts';
import { type TemporaryHome, temporaryHome } from '../config/temporary-home.ts';
import type { RecordedRequest, WireMessage } from '../fakes/model-server.ts';

/** A home, and the folder that its sessions work in. */
export interface Place {
  readonly homePath: string;
  readonly work: string;
  /** Writes a file of the working folder. */
  readonly put: (name: string, text: string) => string;
  /** Opens a program on it; closed after the test. */
  readonly open: () => Promise<Program>;
  readonly read: (name: string) => string;
}

export interface PlaceOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** A home that is there already; its `config.yaml` is written anew. */
  readonly home?: TemporaryHome;
}

/** `moreConfig` follows the model section for `server`; without a server it is the whole `config.yaml`. */
export function placeFor(
  t: TestContext,
  server: { readonly url: string } | undefined,
  moreConfig = '',
  { env: more = {}, home: given = temporaryHome(t) }: PlaceOptions = {},
): Place {
  const { home, env: bare, write } = given;
  const env = { ...bare, ...more };
  write('config.yaml', (server === undefined ? '' : modelAt(server.url)) + moreConfig);
  const work = join(home.path, '..', 'work');
  mkdirSync(work, { recursive: true });
  return {
    homePath: home.path,
    work,
    put(name, text) {
      const path = join(work, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      return path;
    },
    read: (name) => readFileSync(join(home.path, name), 'utf8'),
    async open() {
      const program = await openProgram({ home, env, config: await loadConfig({ home, env }), cwd: work });
      t.after(() => program.close());
      return program;
    },
  };
}

export function homeWith(
  t: TestContext,
  server: { readonly url: string } | undefined,
  moreConfig: string,
  env: Readonly<Record<string, string>> = {},
): () => Promise<Program> {
  return placeFor(t, server, moreConfig, { env }).open;
}

/** The model section for a fake server. */
function modelAt(url: string): string {
  return `model:\n  provider: custom\n  base_url: ${url}\n  default: test-model\n  api_key: test-key\n`;
}

/** A session with somebody, or nobody, in front of it. */
export interface Chat {
  readonly session: Session;
  readonly store: SessionStore;
  readonly place: Place;
  readonly program: Program;
  readonly warnings: readonly string[];
  readonly learned: readonly string[];
  /** What the person was asked to approve. */
  readonly asked: readonly ApprovalRequest[];
  /** How the next one is answered; at first `deny`. */
  choice: ApprovalChoice;
  /** Runs a turn to its end. It must not fail. */
  readonly say: (text: string) => Promise<string | null>;
  readonly leave: () => Promise<void>;
}

export type ChatOptions = Omit<Partial<SessionSpec>, 'resume'> & {
  /** Id of the session to continue. */
  readonly resume?: string;
  /** Default: nobody is there. */
  readonly present?: boolean;
  readonly program?: Program;
};

export async function chatAt(place: Place, options: ChatOptions = {}): Promise<Chat> {
  const { resume, present = false, program = await place.open(), ...spec } = options;
  const { store } = program;
  assert.ok(store !== undefined, program.warnings.join('\n'));
  const warnings: string[] = [];
  const learned: string[] = [];
  const asked: ApprovalRequest[] = [];
  const person: Human = {
    ...headless,
    present: true,
    approve(request) {
      asked.push(request);
      return Promise.resolve(chat.choice);
    },
  };
  const row = resume === undefined ? undefined : await store.sessions.get(resume);
  assert.equal(row === undefined, resume === undefined, 'there is no such session');
  const session = await program.openSession({
    surface: 'cli',
    source: 'test',
    human: present ? person : headless,
    notify: ({ kind, line }) => void (kind === 'learned' ? learned : warnings).push(line),
    ...spec,
    ...(row === undefined ? {} : { resume: row }),
  });
  const chat: Chat = {
    session,
    store,
    place,
    program,
    warnings,
    learned,
    asked,
    choice: 'deny',
    async say(text) {
      const result = await session.agent.runConversation(text);
      assert.equal(errorOf(result), undefined);
      return result.finalResponse;
    },
    leave: () => session.close('cli_close'),
  };
  return chat;
}

/** A program on a home of its own, and one session of it. */
export async function openChat(
  t: TestContext,
  server: { readonly url: string },
  moreConfig = '',
  { env, home, ...options }: ChatOptions & PlaceOptions = {},
): Promise<Chat> {
  return await chatAt(placeFor(t, server, moreConfig, { ...(env && { env }), ...(home && { home }) }), options);
}

export function errorOf(result: TurnResult): string | undefined {
  return 'error' in result ? result.error : undefined;
}

/** All events of a turn, and its result. */
export async function collect(
  turn: AsyncGenerator<AgentEvent, TurnResult>,
): Promise<{ events: AgentEvent[]; result: TurnResult }> {
  const events: AgentEvent[] = [];
  for (let next = await turn.next(); ; next = await turn.next()) {
    if (next.done === true) return { events, result: next.value };
    events.push(next.value);
  }
}

/** The text of a message that came over the wire. */
export function textOf(message: WireMessage | undefined): string {
  const content = message?.content ?? '';
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('\n');
}

/** A request of the review after a reply. */
export function isReview({ body }: RecordedRequest): boolean {
  return body.messages.some((message) => textOf(message).includes('This is a quiet look back'));
}

/** A request for the summary of a compaction. */
export function isSummary({ rawBody }: RecordedRequest): boolean {
  return rawBody.includes('CONVERSATION-TEXT');
}

/** What a summariser is expected to answer. */
export const summary = {
  text: '## Goal\nLook at the fox and at the dog.\n## Completed Actions\nLooked at both of them for a while.\n## Historical Remaining Work\nAnswer the newest question.',
};
