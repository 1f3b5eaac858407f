/** A home with boards, and sessions of workers and of who hands out work. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Board, Boards } from '../../../src/kanban/board.ts';
import { createTask, type NewTask } from '../../../src/kanban/create-task.ts';
import { claimTask } from '../../../src/kanban/claim.ts';
import type { Task } from '../../../src/kanban/records.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../../src/lib/json.ts';
import { temporaryHome } from '../../config/temporary-home.ts';
import { type ModelServer, startModelServer } from '../../fakes/model-server.ts';
import { type Chat, chatAt, type ChatOptions, placeFor, textOf } from '../../runtime/support.ts';

export const boardTools =
  `kanban_attach kanban_attach_url kanban_attachments kanban_block kanban_comment kanban_complete
  kanban_create kanban_heartbeat kanban_link kanban_show`.split(/\s+/);

export interface Office {
  readonly model: ModelServer;
  readonly homePath: string;
  readonly on: <T>(work: (board: Board) => Promise<T> | T) => Promise<T>;
  readonly create: (task?: Partial<NewTask>) => Promise<Task>;
  /** A task that an attempt is open for. */
  readonly claimed: (task?: Partial<NewTask>) => Promise<Task>;
  readonly chat: (options?: OfficeOptions) => Promise<Chat>;
  readonly worker: (task: Task, options?: OfficeOptions) => Promise<Chat>;
}

export interface OfficeOptions extends ChatOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly config?: string;
}

export async function office(t: TestContext): Promise<Office> {
  const model = await startModelServer();
  t.after(() => model.close());
  const home = temporaryHome(t);
  const boards = new Boards({ settings: { home: home.home.path }, busyTimeoutMs: 60_000, failureLimit: 2 });
  const on: Office['on'] = async (work) => await boards.use(undefined, work);
  const create: Office['create'] = async (task) =>
    await on((board) => createTask(board, { title: 'Wash the cups', assignee: 'default', createdBy: 'user', ...task }));
  const chat: Office['chat'] = async ({ env = {}, config = '', ...options } = {}) =>
    await chatAt(placeFor(t, model, config, { home, env }), options);
  return {
    model,
    homePath: home.home.path,
    on,
    create,
    async claimed(task) {
      const { id } = await create(task);
      const claimed = await on((board) => claimTask(board, id, { lock: 'here:1', seconds: 900 }));
      assert.ok(claimed !== undefined);
      return claimed;
    },
    chat,
    worker: async (task, { env = {}, ...options } = {}) =>
      await chat({
        toolsets: ['todo'],
        ...options,
        env: {
          HERMES_KANBAN_TASK: task.id,
          HERMES_KANBAN_RUN_ID: String(task.current_run_id ?? ''),
          HERMES_KANBAN_CLAIM_LOCK: 'here:1',
          HERMES_KANBAN_STOP_NUDGE: '0',
          ...env,
        },
      }),
  };
}

/** One call in a turn of its own; what the model is answered. */
export async function call({ model }: Office, chat: Chat, name: string, args: JsonObject = {}): Promise<JsonObject> {
  model.enqueue({ toolCalls: [{ name, arguments: args }] }, { text: 'Well.' });
  await chat.say('go');
  const result = model.requests.at(-1)?.body.messages.findLast(({ role }) => role === 'tool');
  const value = parseJson(textOf(result));
  assert.ok(isJsonObject(value), textOf(result));
  return value;
}

export function offered({ model }: Office): readonly string[] {
  const tools = model.requests.at(-1)?.body.tools ?? [];
  return tools.map(({ function: { name } }) => name).filter((name) => name.startsWith('kanban_'));
}

export function attachmentsFolder({ homePath }: Office, { id }: Task): string {
  return join(homePath, 'kanban', 'attachments', id);
}

/** A text of a result; `absent` where there is none. */
export function said(result: JsonObject, key = 'error'): string {
  const value = result[key];
  return typeof value === 'string' ? value : 'absent';
}
