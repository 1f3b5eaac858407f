/** Limits of a Claude subscription; keys of the console have none that could be asked for. */
import * as z from 'zod';
import { type LimitSource, shownWord } from './account-limits.ts';

const windowSchema = z
  .object({ utilization: z.number(), resets_at: z.iso.datetime({ offset: true }).nullish().catch(undefined) })
  .nullish()
  .catch(undefined);
const usageSchema = z.object({
  five_hour: windowSchema,
  seven_day: windowSchema,
  seven_day_opus: windowSchema,
  seven_day_sonnet: windowSchema,
  extra_usage: z
    .object({
      is_enabled: z.boolean(),
      used_credits: z.number(),
      monthly_limit: z.number(),
      currency: shownWord,
    })
    .nullish()
    .catch(undefined),
});

const names = [
  ['five_hour', 'Session'],
  ['seven_day', 'Week'],
  ['seven_day_opus', 'Week, Opus'],
  ['seven_day_sonnet', 'Week, Sonnet'],
] as const;

export const anthropicLimits: LimitSource = {
  addresses: (baseUrl) => [`${new URL(baseUrl).origin}/api/oauth/usage`],
  asks: (headers) => 'authorization' in headers,
  read([answer]) {
    const usage = usageSchema.safeParse(answer).data;
    if (usage === undefined) return undefined;
    const windows = names.flatMap(([key, name]) => {
      const window = usage[key];
      if (window == null) return [];
      const { utilization: usedPercent, resets_at: at } = window;
      return [{ name, usedPercent, ...(at == null ? {} : { resetsAt: Date.parse(at) }) }];
    });
    const extra = usage.extra_usage;
    const facts =
      extra?.is_enabled === true
        ? [
            `Extra usage: ${extra.used_credits.toFixed(2)} of ${extra.monthly_limit.toFixed(2)} ${extra.currency ?? 'USD'}`,
          ]
        : [];
    return windows.length + facts.length === 0 ? undefined : { windows, facts };
  },
};
