/** Limits of a ChatGPT subscription that is used for Codex. */
import * as z from 'zod';
import { dollars, type LimitSource, type LimitWindow, shownWord } from './account-limits.ts';

const windowSchema = z
  .object({ used_percent: z.number(), reset_at: z.number().nullish().catch(undefined) })
  .nullish()
  .catch(undefined);
const usageSchema = z.object({
  plan_type: shownWord,
  rate_limit: z.object({ primary_window: windowSchema, secondary_window: windowSchema }).nullish().catch(undefined),
  rate_limit_reset_credits: z.object({ available_count: z.number() }).nullish().catch(undefined),
  credits: z
    .object({
      has_credits: z.boolean(),
      unlimited: z.boolean().nullish().catch(undefined),
      balance: z
        .union([z.number(), z.string().regex(/^\d/).transform(Number)])
        .nullish()
        .catch(undefined),
    })
    .nullish()
    .catch(undefined),
});

type Usage = z.infer<typeof usageSchema>;

export const codexLimits: LimitSource = {
  addresses(baseUrl) {
    const base = baseUrl.replace(/\/codex$/, '');
    return [base.includes('/backend-api') ? `${base}/wham/usage` : `${base}/api/codex/usage`];
  },
  read([answer]) {
    const usage = usageSchema.safeParse(answer).data;
    if (usage?.rate_limit == null) return undefined;
    const { primary_window: session, secondary_window: week } = usage.rate_limit;
    return {
      plan: usage.plan_type ?? undefined,
      windows: [...windowOf('Session', session), ...windowOf('Week', week)],
      facts: [...resetsOf(usage), ...creditOf(usage)],
    };
  },
};

function windowOf(name: string, window: z.infer<typeof windowSchema>): LimitWindow[] {
  if (window == null) return [];
  const { used_percent: usedPercent, reset_at: seconds } = window;
  return [{ name, usedPercent, ...(typeof seconds === 'number' ? { resetsAt: seconds * 1000 } : {}) }];
}

function resetsOf({ rate_limit_reset_credits: resets }: Usage): string[] {
  const count = Math.floor(resets?.available_count ?? 0);
  return count > 0 ? [`Resets: ${count} banked`] : [];
}

function creditOf({ credits }: Usage): string[] {
  if (credits?.has_credits !== true) return [];
  if (typeof credits.balance === 'number') return [`Credit: ${dollars(credits.balance)}`];
  return credits.unlimited === true ? ['Credit: unlimited'] : [];
}
