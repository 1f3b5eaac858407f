/** `/usage`: what this session took in tokens and money, and what the account has left. */
import { UserError } from '../../lib/errors.ts';
import type { SharedCommand } from '../command.ts';
import { limitLines } from './limit-lines.ts';

/** Whoever waits longer for a provider wants the rest now. */
const limitsMs = 6000;
const count = (value: number): string => value.toLocaleString('en-US');

export const usage: SharedCommand = {
  name: 'usage',
  category: 'Info',
  description: 'show the tokens and the cost of this session, and what the account has left',
  surface: 'both',
  whileBusy: true,
  async run({ session, about, ui }, args) {
    if (/^reset\b/i.test(args)) throw new UserError(noReset(session.agent.route.provider));
    if (args !== '') throw new UserError(`/usage does not know '${args.slice(0, 60)}'.`, { hint: 'Use /usage alone.' });
    const { tokens, route } = session.agent;
    const spent = await session.spent();
    const row = await session.row();
    const limits = await session.model.limits(AbortSignal.timeout(limitsMs)).catch(() => undefined);
    const cached = tokens.prompt_tokens === 0 ? 0 : Math.round((100 * tokens.cache_read_tokens) / tokens.prompt_tokens);
    const context = route.contextLength === undefined ? '' : ` of ${count(route.contextLength)}`;
    ui.print(
      [
        `Model:    ${route.model} (${route.provider})`,
        `Prompt:   ${count(tokens.prompt_tokens)} tokens, ${cached}% from the cache (${count(tokens.cache_read_tokens)} read, ${count(tokens.cache_write_tokens)} written)`,
        `Answers:  ${count(tokens.completion_tokens)} tokens, ${count(tokens.reasoning_tokens)} of them reasoning`,
        `Total:    ${count(tokens.total_tokens)} tokens since this program started`,
        ...(spent === undefined ? [] : [`Cost:     ${costLine(spent.usd, row?.cost_status)}`]),
        `Context:  ${count(tokens.last_prompt_tokens)}${context} in the last request`,
        `Messages: ${session.agent.history.length}`,
        `Duration: ${Math.round((Date.now() - about.startedAt) / 1000)} s`,
        ...(limits === undefined ? [] : ['', ...limitLines(limits, route.provider, Date.now())]),
      ].join('\n'),
    );
  },
};

function noReset(provider: string): string {
  if (provider !== 'openai-codex') return 'Banked resets of limits exist with the provider openai-codex only.';
  return '/usage reset is not available in this build: redeem a banked reset where you manage your subscription.';
}

function costLine(usd: number, status: string | null | undefined): string {
  if (status === 'included') return 'part of a subscription';
  if (status === 'unknown' || (status === null && usd === 0)) return 'unknown (the price of this model is not known)';
  const amount = `$${usd.toFixed(usd > 0 && usd < 0.1 ? 4 : 2)}`;
  return status === 'actual' ? `${amount} as the provider billed it` : `${amount} (estimated), side tasks included`;
}
