/** `/v1/runs`: turns that go on whoever is connected. */
import type { JsonObject } from '../../../lib/json.ts';
import type { HistoryMessage } from '../../../llm/message.ts';
import { textOf } from '../../../llm/message.ts';
import { HttpError, jsonAnswer } from '../../answers.ts';
import { EventStream } from '../../event-stream.ts';
import type { HttpRequest, Route } from '../../routes.ts';
import type { LiveSettings } from '../live-settings.ts';
import { isEmpty } from '../content.ts';
import { readSwitch, sortMessages } from '../messages.ts';
import { newId } from '../responses/output.ts';
import { readGivenHistory } from '../responses/request.ts';
import type { ResponseStore } from '../responses/response-store.ts';
import { checkSessionId, readSessionHeaders, sessionHeaders } from '../session-headers.ts';
import type { TurnRequest, Turns } from '../turns.ts';
import { Run } from './run.ts';
import { readChoice, RunHuman } from './run-human.ts';
import { Runs } from './runs.ts';

export interface RunsParts {
  readonly turns: Turns;
  readonly settings: LiveSettings;
  readonly store: ResponseStore;
  /** How long an approval is waited for, in milliseconds. */
  readonly approvalMs: number;
}

export function runsRoutes(parts: RunsParts): Route[] {
  const runs = new Runs();
  const path = '/v1/runs/:id';
  return [
    { method: 'POST', path: '/v1/runs', access: 'key', handle: (request) => start(request, parts, runs) },
    {
      method: 'GET',
      path,
      access: 'key',
      handle: async ({ params: { id = '' } }) => jsonAnswer(runs.get(id).run.object),
    },
    {
      method: 'GET',
      path: `${path}/events`,
      access: 'key',
      handle: async ({ params: { id = '' }, headers }) => events(runs.get(id).run, headers),
    },
    {
      method: 'POST',
      path: `${path}/stop`,
      access: 'key',
      async handle({ params: { id = '' } }) {
        const { run } = runs.get(id);
        if (run.isOver) throw new HttpError(404, `Run ${id} is not running.`, { code: 'run_not_found' });
        run.stop();
        return jsonAnswer({ run_id: id, status: 'stopping' });
      },
    },
    { method: 'POST', path: `${path}/approval`, access: 'key', handle: (request) => approve(request, runs) },
  ];
}

async function start(
  request: HttpRequest,
  { turns, settings, store, approvalMs }: RunsParts,
  runs: Runs,
): Promise<Response> {
  const body = await request.json();
  const { modelName } = await settings.current();
  const id = newId('run', 32);
  const turn = await readRun(body, request, { id, modelName, store, turns });
  const place = turns.admit({ limited: true });
  const run = new Run(id, { sessionId: turn.sessionId, model: turn.model ?? modelName });
  const human = new RunHuman(run, approvalMs);
  runs.add({ run, human });
  void turns
    .run({ ...turn, human }, (event) => run.hear(event), run.signal)
    .then(
      (outcome) => run.finish(outcome),
      (error: unknown) => run.fail(error),
    )
    .finally(() => place.leave());
  return jsonAnswer({ run_id: id, status: 'started' }, 202, sessionHeaders(turn.sessionId, turn.sessionKey));
}

async function readRun(
  body: JsonObject,
  { headers }: HttpRequest,
  known: { readonly id: string; readonly modelName: string; readonly store: ResponseStore; readonly turns: Turns },
): Promise<TurnRequest> {
  const { input, session_id: named, instructions, previous_response_id: previousId, model } = body;
  const { sessionKey, sessionId: inHeader } = readSessionHeaders(headers);
  if (named !== undefined && named !== null && named !== '') checkSessionId(typeof named === 'string' ? named : '');
  // A chain that is not known any more is no reason to refuse a run.
  const previous = typeof previousId === 'string' ? await known.store.get(previousId) : undefined;
  const asked = readInput(input);
  const sessionId = (typeof named === 'string' && named) || inHeader || previous?.sessionId || known.id;
  const system = [typeof instructions === 'string' ? instructions : (previous?.instructions ?? ''), asked.system];
  return {
    sessionId: await known.turns.liveId(sessionId),
    input: asked.input,
    history: historyOf(body, asked.said, previous?.history),
    system: system.filter((text) => text !== '').join('\n'),
    model: typeof model === 'string' && model !== '' ? model : known.modelName,
    sessionKey,
  };
}

/** Undefined: as the session is stored. */
function historyOf(
  { conversation_history: given }: JsonObject,
  said: readonly HistoryMessage[],
  chain: readonly HistoryMessage[] | undefined,
): readonly HistoryMessage[] | undefined {
  const before = readGivenHistory(given) ?? chain;
  return before === undefined && said.length === 0 ? undefined : [...(before ?? []), ...said];
}

/** The text of the last message; the ones before it are history. */
function readInput(input: JsonObject[string] | undefined) {
  const messages = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  if (!Array.isArray(messages)) throw new HttpError(400, "Missing 'input' field", { param: 'input' });
  const { system, said } = sortMessages(
    messages.map((message) => (typeof message === 'string' ? { role: 'user', content: message } : message)),
    'input',
  );
  const last = said.at(-1);
  if (last === undefined || isEmpty(last.content)) {
    throw new HttpError(400, 'No user message found in input', { param: 'input' });
  }
  const question = last.role === 'user' ? last.content : textOf(last.content);
  return { system, said: said.slice(0, -1), input: question };
}

/** From where its reader left off. */
function events(run: Run, headers: Headers): Response {
  const lastId = Number(headers.get('last-event-id') ?? 0);
  let end = (): void => undefined;
  const stream = new EventStream({ onLeft: () => end() });
  end = run.listen(Number.isSafeInteger(lastId) ? lastId : 0, (event) => {
    if (event !== undefined) return stream.send({ id: String(event.id), data: event.data });
    stream.comment('stream closed');
    stream.end();
  });
  return stream.response;
}

async function approve(request: HttpRequest, runs: Runs): Promise<Response> {
  const { id = '' } = request.params;
  const { run, human } = runs.get(id);
  const body = await request.json();
  const choice = readChoice(body['choice'] ?? body['decision']);
  // One question is open at a time, so all of them are that one.
  readSwitch(body['all'] ?? body['resolve_all'], 'all');
  if (run.isOver) throw new HttpError(409, `Run ${id} is over.`, { code: 'approval_not_active' });
  return jsonAnswer({ object: 'hermes.run.approval_response', run_id: id, choice, resolved: human.answer(choice) });
}
