/** What there is: whether the server is well, which models, skills and tools it has, and what it can be asked. */
import { statfs } from 'node:fs/promises';
import { headless } from '../../agent/human.ts';
import { errorMessage } from '../../lib/errors.ts';
import type { Program } from '../../runtime/program.ts';
import { toolCatalogue } from '../../tools/catalogue.ts';
import { selectTools } from '../../tools/toolsets.ts';
import { jsonAnswer } from '../answers.ts';
import type { Route } from '../routes.ts';
import { capabilities } from './capabilities.ts';
import { type GatewayView, noGateway } from './gateway-view.ts';
import type { LiveSettings } from './live-settings.ts';
import { surface, toolsetsOf } from './surface.ts';

export interface DiscoveryParts {
  readonly program: Program;
  readonly settings: LiveSettings;
  readonly gateway?: GatewayView | undefined;
  /** Turns that run. */
  readonly activeTurns: () => number;
}

const platform = 'hermes-agent';

export function discoveryRoutes(parts: DiscoveryParts): Route[] {
  const { program, settings } = parts;
  const version = program.options.version ?? '';
  const health = async () => jsonAnswer({ status: 'ok', platform, version });
  return [
    { method: 'GET', path: '/health', access: 'everybody', handle: health },
    { method: 'GET', path: '/v1/health', access: 'everybody', handle: health },
    {
      method: 'GET',
      path: '/health/detailed',
      access: 'key',
      handle: async () => jsonAnswer(await detailedHealth(parts, version)),
    },
    { method: 'GET', path: '/v1/models', access: 'key', handle: async () => jsonAnswer(await models(settings)) },
    {
      method: 'GET',
      path: '/v1/capabilities',
      access: 'key',
      handle: async () => jsonAnswer(capabilities(await settings.current())),
    },
    { method: 'GET', path: '/v1/skills', access: 'key', handle: async () => jsonAnswer(await skills(program)) },
    { method: 'GET', path: '/v1/toolsets', access: 'key', handle: async () => jsonAnswer(toolsets(program)) },
  ];
}

/** Below this share of free room the disk is told as full, in percent. */
const fullPercent = 98;

async function detailedHealth(
  { program, gateway = noGateway, activeTurns }: DiscoveryParts,
  version: string,
): Promise<object> {
  const platforms = { api_server: { state: 'connected' }, ...gateway.platforms };
  const all = Object.values(platforms);
  const connected = all.filter(({ state }) => state === 'connected').length;
  const turns = activeTurns();
  const checks = {
    state_db: await storeCheck(program),
    config: configCheck(program),
    model: await modelCheck(program),
    disk: await diskCheck(program.options.home.path),
    gateway: { status: 'ok', state: gateway.state, connected_platforms: connected, platforms: all.length },
    background_queues: {
      status: 'ok',
      active_api_runs: turns,
      process_completions: 0,
      active_delegations: program.delegations.running,
    },
  };
  const status = Object.values(checks).every((check) => check.status === 'ok') ? 'ok' : 'degraded';
  const active = turns + gateway.activeAgents;
  return {
    status,
    readiness: { status, checks },
    platform,
    version,
    gateway_state: gateway.state,
    platforms,
    active_agents: active,
    gateway_busy: active > 0,
    gateway_drainable: !gateway.draining,
    exit_reason: gateway.exitReason,
    updated_at: new Date().toISOString(),
    pid: process.pid,
  };
}

interface Check {
  readonly status: 'ok' | 'degraded';
  readonly [detail: string]: unknown;
}

async function storeCheck({ store }: Program): Promise<Check> {
  if (store === undefined) return { status: 'degraded', error: 'conversations are not stored' };
  try {
    await store.sessions.latest(surface);
    return { status: 'ok' };
  } catch (error) {
    return { status: 'degraded', error: errorMessage(error) };
  }
}

function configCheck({ options }: Program): Check {
  return { status: options.config.user.state === 'broken' ? 'degraded' : 'ok' };
}

async function modelCheck({ models }: Program): Promise<Check> {
  try {
    const { model, provider } = await models.resolve({});
    return { status: 'ok', model, provider };
  } catch (error) {
    return { status: 'degraded', error: errorMessage(error) };
  }
}

async function diskCheck(path: string): Promise<Check> {
  const { bsize, blocks, bfree, bavail } = await statfs(path);
  // What is kept for the administrator is neither used nor free, as `df` counts it.
  const [taken, all] = [blocks - bfree, blocks - bfree + bavail];
  const used = all === 0 ? 0 : Math.round((taken / all) * 1000) / 10;
  return { status: used > fullPercent ? 'degraded' : 'ok', used_percent: used, free_bytes: bavail * bsize };
}

async function models(settings: LiveSettings): Promise<object> {
  const { modelName, aliases } = await settings.current();
  const entry = (id: string, root: string, parent: string | null) => ({
    id,
    object: 'model',
    created: Math.floor(startedAt / 1000),
    owned_by: 'hermes',
    permission: [],
    root,
    parent,
  });
  const more = Object.entries(aliases).map(([alias, { model }]) => entry(alias, model, modelName));
  return { object: 'list', data: [entry(modelName, modelName, null), ...more] };
}

const startedAt = Date.now();

/** As a conversation over this interface has them. */
async function skills(program: Program): Promise<object> {
  const session = await program.openSession({
    surface,
    human: headless,
    toolsets: toolsetsOf(program),
    mode: { allowDemo: true },
  });
  try {
    const found = (await session.knowledge.skills?.list()) ?? [];
    const data = found.map(({ name, description, category }) => ({ name, description, category }));
    return { object: 'list', data };
  } finally {
    await session.close(undefined);
  }
}

function toolsets(program: Program): object {
  const { config } = program.options.config;
  const custom = Object.fromEntries(
    Object.entries(config.custom_toolsets).map(([name, set]) => [name, [...set.tools, ...set.includes]]),
  );
  const { tools: chosen } = selectTools(toolCatalogue, {
    wanted: toolsetsOf(program),
    custom,
    disabled: config.agent.disabled_toolsets,
  });
  const sets = Map.groupBy(toolCatalogue, ({ toolset }) => toolset);
  const offered = [...sets].filter(([name]) => !notOverHttp.has(name));
  const data = offered.map(([name, entries]) => ({
    name,
    label: name.replaceAll('_', ' ').replace(/^./, (first) => first.toUpperCase()),
    description: `Tools: ${entries.map((entry) => entry.name).join(', ')}`,
    enabled: chosen.some(({ toolset }) => toolset === name),
    configured: true,
    tools: entries.map((entry) => entry.name),
  }));
  return { object: 'list', platform: surface, data };
}

/** There is nobody to ask, nowhere to send to and nothing to listen with. */
const notOverHttp: ReadonlySet<string> = new Set(['clarify', 'messaging', 'tts']);
