/** What every request of a new session carries before anybody has said a word: the prompt part by part, and the tools. */
import { UserError } from '../lib/errors.ts';
import { noLog } from '../lib/log.ts';
import type { Delegation } from '../tools/delegation/delegation.ts';
import type { Config } from '../config/load.ts';
import type { PromptPart } from '../prompt/system-prompt.ts';
import { openSessionStore } from '../sessions/open-store.ts';
import { absentToolsets } from './absent-toolsets.ts';
import { bringSkills } from './bring-skills.ts';
import { chooseTools } from './choose-tools.ts';
import { toolTexts } from './context-parts.ts';
import { delegationTerms } from './delegation/delegation-terms.ts';
import { openModelAccess } from './model-access.ts';
import type { ProgramOptions } from './program-options.ts';
import { type PromptRequest, sessionPromptParts } from './session-prompt.ts';
import { openEnabledPlugins } from './open-hooks.ts';
import { ProgramServers } from './program-servers.ts';
import { sessionMedia } from './session-media.ts';
import { boardWorker } from './session-board.ts';
import { openSessionServices } from './session-services.ts';
import { SessionVision } from './session-vision.ts';
import { speechLogins } from './speech-access.ts';
import { hasXai } from './xai-access.ts';
import { speechAccess } from './speech-access.ts';
import { ToolSearch } from './tool-search.ts';
import type { NamedText } from './session.ts';
import type { SessionSpec } from './session-spec.ts';

export interface FixedCost {
  readonly parts: readonly PromptPart[];
  /** Each tool as it is sent in a request. */
  readonly tools: readonly NamedText[];
}

/**
 * Builds both without a model or credentials. Servers are connected to, as their tools are sent too; who does not answer is
 * told with `onWarning`.
 */
export async function fixedCost(
  options: ProgramOptions,
  spec: Pick<SessionSpec, 'surface' | 'toolsets' | 'prompt' | 'route'>,
  request: PromptRequest = {},
): Promise<FixedCost> {
  const { config } = options.config;
  const warn = (line: string): void => request.onWarning?.(line);
  await bringSkills(options, warn);
  const sessionId = 'not-a-session';
  const plugged = await openEnabledPlugins(options, noLog, warn);
  const models = await openModelAccess(options);
  const { tools, servers: choice } = await chooseTools(config, spec, {
    plugged: plugged.tools,
    joining: hasXai(options.env, models) ? ['x_search'] : [],
    worksOnTask: boardWorker(options) !== undefined,
    absent: absentToolsets(config, options.env, speechLogins({ ...options, models, plugins: plugged }), plugged.added),
  });
  // Sessions have a store; what is in it makes no difference here.
  const store = await openSessionStore({ kind: 'sqlite', path: ':memory:' }, { forWriting: true });
  const parts = {
    ...options,
    log: noLog,
    surface: spec.surface,
    prompt: spec.prompt ?? {},
    tools,
    store,
    models,
    plugins: plugged,
  };
  const { services } = await openSessionServices(parts, {
    sessionId,
    delegation: measuredDelegation(config.delegation, spec.surface),
    currentSession: () => undefined,
    userId: null,
    source: spec.surface,
    // As where somebody sits in front of it.
    clarifies: true,
    warn,
  });
  // The model is not asked for: what the configuration does not say of it is taken to be so.
  const seen = config.model.supports_vision;
  services.state.vision = new SessionVision({
    parts,
    side: { ask: () => Promise.reject(new UserError('Nobody is asked here.')) },
    route: () => (seen === undefined ? {} : { vision: seen }),
  });
  services.state.media = sessionMedia(parts);
  services.state.speech = { access: speechAccess(parts), surface: spec.surface };
  const servers = new ProgramServers(waitingFor(options), noLog);
  try {
    await servers.ready(new AbortController().signal);
    for (const { name, problem } of servers.list()) {
      if (problem !== undefined) warn(`the tools of the MCP server ${name} are not counted: ${problem}`);
    }
    const offered = servers.toolsFor({
      session: { redact: services.redact },
      wants: (tool) => choice.wants(tool),
      taken: new Set(tools.map(({ name }) => name)),
      onTaken: (name, server) => warn(`${name} of the MCP server ${server} is not sent: another tool has this name`),
    });
    const search = new ToolSearch({
      settings: config.tools.tool_search,
      window: () => undefined,
      found: services.state.foundTools,
      available: (tool) => tool.available(services),
    });
    const sent = search.arrange(tools, offered());
    const route = {
      model: spec.route?.model ?? config.model.default ?? '',
      provider: spec.route?.provider ?? config.model.provider ?? '',
    };
    const prompt = await sessionPromptParts({ ...parts, route }, services, sessionId, request);
    return { parts: prompt, tools: toolTexts(sent, services) };
  } finally {
    await servers.close();
    await plugged.close();
    await services.processes.close();
    await services.environment.close();
    await models.close();
    await store.close();
  }
}

/** Surfaces whose conversations end with their answer, so that no result of a sub-agent can come later. */
const answeredAtOnce: ReadonlySet<string> = new Set(['cron', 'api_server', 'acp', 'mcp']);

/** Only its terms are told to the model. */
function measuredDelegation(settings: Config['delegation'], surface: string): Delegation {
  return {
    terms: delegationTerms(settings, { depth: 0, inBackground: !answeredAtOnce.has(surface) }),
    delegate: () => Promise.reject(new UserError('Nothing is delegated here.')),
  };
}

/** Whoever measures wants the servers that a conversation has, not those that are there after a moment. */
const serversSeconds = 15;

function waitingFor(options: ProgramOptions): ProgramOptions {
  const { config } = options.config;
  const waits = Math.max(serversSeconds, config.mcp_discovery_timeout);
  return { ...options, config: { ...options.config, config: { ...config, mcp_discovery_timeout: waits } } };
}
