/** Models as rows of a list: who serves them, how much they hold, and what they cost. */
import type { OfferedModel } from '../../runtime/session.ts';
import type { PickRow } from '../pick.ts';

/** What `/model` takes for it. */
export function modelSpec({ provider, model }: Pick<OfferedModel, 'provider' | 'model'>): string {
  return `${provider}:${model}`;
}

export function modelRow(offered: OfferedModel, current: string): PickRow {
  const value = modelSpec(offered);
  return { value, label: offered.model, description: modelFacts(offered, value === current) };
}

/** Such as `openrouter · 200K · $3 in, $15 out · current`; prices are for a million tokens. */
export function modelFacts({ provider, contextLength, price }: OfferedModel, isCurrent: boolean): string {
  const isFree = price?.input === 0 && price.output === 0;
  const cost =
    price === undefined ? [] : [isFree ? 'free' : `$${dollars(price.input)} in, $${dollars(price.output)} out`];
  const size = contextLength === undefined ? [] : [tokens(contextLength)];
  return [provider, ...size, ...cost, ...(isCurrent ? ['current'] : [])].join(' · ');
}

function tokens(count: number): string {
  return count >= 1_000_000 ? `${trimmed(count / 1_000_000)}M` : `${trimmed(count / 1000)}K`;
}

function trimmed(count: number): string {
  return count < 10 ? String(Math.round(count * 10) / 10) : String(Math.round(count));
}

function dollars(price: number): string {
  return String(Number(price.toPrecision(3)));
}
