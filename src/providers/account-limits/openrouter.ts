/** Credit of an OpenRouter account and the quota of its key: https://openrouter.ai/docs/api-reference/limits */
import * as z from 'zod';
import { dollars, type LimitSource, type LimitWindow, shownWord } from './account-limits.ts';

const amount = z.number().nullish().catch(undefined);
const creditSchema = z.object({ data: z.object({ total_credits: z.number(), total_usage: z.number() }) });
const keySchema = z.object({
  data: z.object({
    limit: amount,
    limit_remaining: amount,
    limit_reset: shownWord,
    usage: amount,
    usage_daily: amount,
    usage_weekly: amount,
    usage_monthly: amount,
  }),
});

type KeyFacts = z.infer<typeof keySchema>['data'];

export const openrouterLimits: LimitSource = {
  addresses: (baseUrl) => [`${baseUrl}/credits`, `${baseUrl}/key`],
  read([credits, key]) {
    const credit = creditSchema.safeParse(credits).data?.data;
    if (credit === undefined) return undefined;
    const facts = keySchema.safeParse(key).data?.data;
    const balance = `Credit: ${dollars(Math.max(0, credit.total_credits - credit.total_usage))}`;
    return facts === undefined
      ? { windows: [], facts: [balance] }
      : { windows: quotaOf(facts), facts: [balance, ...usageOf(facts)] };
  },
};

function quotaOf({ limit, limit_remaining: left, limit_reset: reset }: KeyFacts): LimitWindow[] {
  if (typeof limit !== 'number' || typeof left !== 'number' || limit <= 0 || left < 0 || left > limit) return [];
  const detail = `${dollars(left)} of ${dollars(limit)} left${reset ? `, resets ${reset}` : ''}`;
  return [{ name: 'Key', usedPercent: ((limit - left) / limit) * 100, detail }];
}

function usageOf(facts: KeyFacts): string[] {
  if (typeof facts.usage !== 'number') return [];
  const times = [
    [facts.usage_daily, 'today'],
    [facts.usage_weekly, 'this week'],
    [facts.usage_monthly, 'this month'],
  ] as const;
  const parts = times.flatMap(([spent, when]) => (spent ? [`${dollars(spent)} ${when}`] : []));
  return [`Key used: ${[`${dollars(facts.usage)} in all`, ...parts].join(', ')}`];
}
