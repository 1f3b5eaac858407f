/** `/usage`: what this session cost in tokens. */
import type { SlashCommand } from '../command.ts';

const count = (value: number): string => value.toLocaleString('en-US');

export const usage: SlashCommand = {
  name: 'usage',
  category: 'Info',
  description: 'show the tokens of this session',
  surface: 'both',
  whileBusy: true,
  run({ session, about, print }) {
    const { tokens, route } = session.agent;
    const cached = tokens.prompt_tokens === 0 ? 0 : Math.round((100 * tokens.cache_read_tokens) / tokens.prompt_tokens);
    const context = route.contextLength === undefined ? '' : ` of ${count(route.contextLength)}`;
    print(
      [
        `Model:    ${route.model} (${route.provider})`,
        `Prompt:   ${count(tokens.prompt_tokens)} tokens, ${cached}% from the cache`,
        `Answers:  ${count(tokens.completion_tokens)} tokens, ${count(tokens.reasoning_tokens)} of them reasoning`,
        `Total:    ${count(tokens.total_tokens)} tokens since this program started`,
        `Context:  ${count(tokens.last_prompt_tokens)}${context} in the last request`,
        `Messages: ${session.agent.history.length}`,
        `Duration: ${Math.round((Date.now() - about.startedAt) / 1000)} s`,
      ].join('\n'),
    );
  },
};
