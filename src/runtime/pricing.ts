/** What a request cost, and whether that can be known at all. */
import type { CalledModel, Usage } from '../llm/protocol.ts';
import { costOf, type ModelKnowledge } from '../models/model-facts.ts';
import { findProfile } from '../providers/choose-provider.ts';
import type { ModelSettings } from '../providers/model-settings.ts';
import type { Cost } from '../sessions/store-transcript.ts';

export interface PricingSources {
  /** Without it, only what a provider reports is known. */
  readonly knowledge?: ModelKnowledge;
  readonly settings: ModelSettings;
}

/**
 * What a request cost, in the columns of the store: billed by the provider, estimated, part of a subscription, or
 * unknown. The source tells when not the price but the number of tokens was the guess.
 */
export function createPricing({
  knowledge,
  settings,
}: PricingSources): (usage: Usage, on: CalledModel) => Promise<Cost> {
  return async (usage, { provider, model }) => {
    const billing = findProfile(provider, settings)?.billing;
    if (billing === 'plan') {
      return { estimated_cost_usd: 0, cost_status: 'included', billing_mode: 'subscription_included' };
    }
    if (billing === 'none') return { estimated_cost_usd: 0, cost_status: 'included' };
    if (usage.costUsd !== undefined) {
      return { estimated_cost_usd: usage.costUsd, cost_status: 'actual', cost_source: 'provider' };
    }
    const facts = await knowledge?.facts(provider, model);
    const cost = costOf(usage, facts?.price);
    const guessed = usage.estimated === true ? { cost_source: 'token_estimate' } : {};
    if (cost === undefined || facts === undefined) return { cost_status: 'unknown', ...guessed };
    return { estimated_cost_usd: cost, cost_status: 'estimated', cost_source: facts.source, ...guessed };
  };
}

/**
 * Whether it is known beforehand what requests to a model cost: nothing (a model in this program, a subscription), what
 * the lists of prices say, or what its provider bills with every answer.
 */
export function createPriceCheck({ knowledge, settings }: PricingSources): (on: CalledModel) => Promise<boolean> {
  return async ({ provider, model }) => {
    const profile = findProfile(provider, settings);
    if (profile?.billing === 'plan' || profile?.apiMode === 'in_process' || profile?.auth === 'none') return true;
    if (profile?.quirks?.reasoning === 'openrouter') return true;
    const facts = await knowledge?.facts(provider, model);
    return facts?.price !== undefined;
  };
}
