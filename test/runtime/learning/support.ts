/** Models beside a conversation that ask the fake server, runs with them, and messages for a history. */
import type { Policy } from '../../../src/agent/policy.ts';
import type { HistoryMessage } from '../../../src/llm/message.ts';
import { modelVariables } from '../../../src/config/model-variables.ts';
import { resolveRoute } from '../../../src/providers/resolve.ts';
import { ConfiguredSideModels } from '../../../src/providers/side-models.ts';
import { runBeside, type SideRun, type SideRunPorts, type SideRunResult } from '../../../src/runtime/side-run.ts';
import { CappedSpending } from '../../../src/runtime/spending.ts';
import type { ModelServer } from '../../fakes/model-server.ts';

export interface TestSide {
  readonly models: ConfiguredSideModels;
  /** The tasks whose requests were booked. */
  readonly booked: readonly string[];
  readonly run: (run: SideRun, signal: AbortSignal) => Promise<SideRunResult>;
}

export async function sideModels(server: ModelServer): Promise<TestSide> {
  const sources = { settings: {}, variables: modelVariables({}) };
  const route = await resolveRoute({ provider: 'custom', baseUrl: server.url, model: 'main-model' }, sources);
  const booked: string[] = [];
  const models = new ConfiguredSideModels({
    tasks: () => ({}),
    sources,
    main: () => route,
    fallbacks: [],
    resolve: (request) => resolveRoute(request, sources),
    onUsage: (task) => {
      booked.push(task);
      return Promise.resolve();
    },
  });
  const ports: SideRunPorts = {
    ladders: models,
    settings: {
      cacheTtl: '5m',
      reasoningEffort: undefined,
      priority: false,
      retries: { requests: 0, streams: 0 },
      limits: {},
    },
    books: {
      spending: new CappedSpending({
        limits: noLimits,
        store: undefined,
        sessionId: () => 'session',
        price: () => Promise.resolve({ cost_status: 'unknown' }),
        now: () => new Date(),
      }),
      recordSide: (task) => {
        booked.push(task);
        return Promise.resolve();
      },
    },
    sessionId: () => 'session',
    main: () => ({ route, reasoningEffort: undefined }),
  };
  return { models, booked, run: (run, signal) => runBeside(ports, run, signal) };
}

const none = { turn_tokens: 0, session_tokens: 0, job_tokens: 0, day_tokens: 0 };
const noLimits = { ...none, turn_usd: 0, session_usd: 0, job_usd: 0, day_usd: 0, unknown_price: 'stop' } as const;

export const allowAll: Policy = {
  async decide(call) {
    (await call.judge())?.onAllowed?.();
    return { kind: 'allow', staged: false };
  },
};

export const user = (content: string): HistoryMessage => ({ role: 'user', content });
export const reply = (content: string): HistoryMessage => ({ role: 'assistant', content });

/** An assistant message that calls a tool, and the tool's result. */
export function used(name: string, args: object = {}, result = 'done', id = `call_${name}`): HistoryMessage[] {
  const call = { id, type: 'function' as const, function: { name, arguments: JSON.stringify(args) } };
  return [
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: id, tool_name: name, content: result },
  ];
}
