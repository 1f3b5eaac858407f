/** Moves a session to another model. */
import type { Agent } from '../agent/agent.ts';
import { UserError } from '../lib/errors.ts';
import { fetchOver } from '../lib/fetch-over.ts';
import { findProfile, type RouteRequest } from '../providers/choose-provider.ts';
import type { ModelRoute } from '../llm/protocol.ts';
import { findAlias } from '../providers/model-spec.ts';
import { parseModelSpec } from '../providers/resolve.ts';
import { toolUseBlocks } from '../prompt/tool-use.ts';
import type { SwitchOptions } from './session.ts';
import type { SessionParts } from './session-parts.ts';

const listMs = 8000;

/** Dollars for a million tokens from which a model is called dear. */
const dearInput = 20;
const dearOutput = 100;

/**
 * Resolves `spec`, seen from the model in use, and switches. Returns what the user should know: that the provider does
 * not list the model or could not be asked, that its window is small, that it is dear, and that the conversation will be
 * compressed. Throws `UserError`.
 */
export async function switchModel(
  parts: SessionParts,
  agent: Agent,
  spec: string,
  { provider, once = false }: SwitchOptions = {},
): Promise<readonly string[]> {
  if (parts.elsewhere === true) throw (await import('./elsewhere.ts')).hasItsModelThere();
  const { models } = parts;
  if (agent.busy)
    throw new UserError('Cannot switch the model while a turn runs.', { hint: 'Wait for it, or stop it first.' });
  const request = await requestFor(parts, agent.route, spec, provider);
  const route = await models.resolve(request);
  const room = await models.checkRoom(route);
  const notes = [...room, ...(await checkListed(parts, route)), ...(await checkPrice(parts, route))];
  const from = agent.route;
  const back = once ? { note: switchNote(parts, route, from) } : undefined;
  const isLong = agent.switchRoute(route, switchNote(parts, from, route), back);
  return isLong ? [...notes, 'The conversation is long for this model: the next message compresses it.'] : notes;
}

/** The same model with the keys and the address that there are now. Throws `UserError`. */
export async function renewRoute(parts: SessionParts, agent: Agent): Promise<void> {
  // That of the agent elsewhere is what the gateway began with.
  if (parts.elsewhere === true) return;
  const { models } = parts;
  if (agent.busy)
    throw new UserError('The keys cannot be changed while a turn runs.', { hint: 'Wait for it, or stop it first.' });
  const { provider, model } = agent.route;
  agent.switchRoute(await models.resolve({ provider, model }));
}

/**
 * What a model has to know that its conversation began with another one. The prompt stays as it is: its bytes are cached,
 * also for the way back.
 */
function switchNote({ config, tools }: SessionParts, from: ModelRoute, to: ModelRoute): string | undefined {
  if (from.provider === to.provider && from.model === to.model) return undefined;
  const setting = config.config.agent.tool_use_enforcement;
  const known = toolUseBlocks(setting, from.model, tools.length);
  const rules = toolUseBlocks(setting, to.model, tools.length).filter((block) => !known.includes(block));
  const note = `[System: from here on you are the model ${to.model} of the provider ${to.provider}, whatever was said before.]`;
  return [note, ...rules].join('\n\n');
}

/** Where what a request costs is known, and is not paid with a subscription. */
async function checkPrice({ models }: SessionParts, { provider, model }: ModelRoute): Promise<string[]> {
  if (findProfile(provider, models.settings)?.billing !== undefined) return [];
  const price = (await models.knowledge.facts(provider, model))?.price;
  if (price === undefined || (price.input <= dearInput && price.output <= dearOutput)) return [];
  return [`⚠ ${model} is dear: $${price.input} for a million tokens in, $${price.output} for a million out.`];
}

async function requestFor(
  { models, config }: SessionParts,
  current: ModelRoute,
  spec: string,
  provider: string | undefined,
): Promise<RouteRequest> {
  const { settings, knowledge, sources } = models;
  if (provider !== undefined) return { provider, model: spec, ownModel: true };
  const placing = { ...sources, knowledge };
  // The bare name of a mixture means it, unless it is off: then it is easily the name of something else.
  const { moa } = config.config;
  if (
    Object.hasOwn(moa.presets, spec) &&
    moa.presets[spec]?.enabled === true &&
    findAlias(spec, settings) === undefined
  ) {
    return { provider: 'moa', model: spec };
  }
  const { newestOfFamily } = await import('../providers/model-families.ts');
  const ofFamily =
    findAlias(spec, settings) === undefined ? await newestOfFamily(spec, current.provider, placing) : undefined;
  if (ofFamily !== undefined) return ofFamily;
  const request = parseModelSpec(spec, current, settings);
  const model = spec.trim();
  if (request.provider !== current.provider || request.model !== model || request.baseUrl !== undefined) return request;
  const { placeModel } = await import('../providers/place-model.ts');
  return await placeModel(model, current.provider, placing);
}

/** A model that the provider's own list does not hold is refused; a list that cannot be had is a warning. */
async function checkListed({ models }: SessionParts, route: ModelRoute): Promise<string[]> {
  const profile = findProfile(route.provider.startsWith('custom:') ? 'custom' : route.provider, models.settings);
  if (profile === undefined || profile.apiMode === 'in_process' || profile.modelsUrl === null) return [];
  const { listProviderModels } = await import('../models/knowledge/list-models.ts');
  const signal = AbortSignal.timeout(listMs);
  const { baseUrl, authorizer } = route;
  const { services, variables } = models.sources;
  const fetch = fetchOver(variables.network);
  const listed = await listProviderModels({ profile, baseUrl, authorizer, signal, fetch, log: services?.log });
  if (listed === undefined || listed.length === 0) {
    return [`The models of ${route.provider} could not be listed; ${route.model} was not checked.`];
  }
  const wanted = route.model.toLowerCase();
  if (listed.some((id) => id.toLowerCase() === wanted || id.toLowerCase() === `models/${wanted}`)) return [];
  const near = listed.filter((id) => id.toLowerCase().includes(wanted.split(/[/:]/).at(-1) ?? wanted)).slice(0, 5);
  // Servers of one's own, aliases and variants such as `:free` need not list everything.
  if (profile.id === 'custom' || wanted.includes(':'))
    return [`${route.provider} does not list ${route.model}; it is tried all the same.`];
  throw new UserError(`${route.provider} does not list a model '${route.model}'; the model was not changed.`, {
    hint: near.length === 0 ? 'See what it offers with `hermes model`.' : `Did you mean: ${near.join(', ')}?`,
  });
}
