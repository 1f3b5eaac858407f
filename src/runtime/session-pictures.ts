/** Brings the pictures of messages before the model of a session; loaded with the first one. */
import type { TurnInput } from '../agent/agent.ts';
import { proxyVariables } from '../config/proxy-variables.ts';
import type { HistoryMessage } from '../llm/message.ts';
import type { Vision } from '../tools/vision/vision.ts';
import type { SeenInput } from './session.ts';
import type { SessionParts } from './session-parts.ts';
import type { SeePorts } from './see-input.ts';

export class SessionPictures {
  readonly #ports: SeePorts;

  constructor({ config: { config }, env }: Pick<SessionParts, 'config' | 'env'>, vision: Vision) {
    const outbound = {
      allowPrivate: config.security.allow_private_urls,
      proxies: proxyVariables(env),
      timeoutMs: config.auxiliary.vision.download_timeout * 1000,
    };
    this.#ports = { vision, outbound };
  }

  get areSeen(): boolean {
    const { vision } = this.#ports;
    return vision.isNative || vision.canDescribe;
  }

  async see(input: TurnInput, signal: AbortSignal): Promise<SeenInput> {
    if (typeof input.content === 'string') return { input, warnings: [] };
    const { seeInput } = await import('./see-input.ts');
    return await seeInput(input, this.#ports, signal);
  }

  async seeHistory(history: readonly HistoryMessage[], signal: AbortSignal): Promise<readonly HistoryMessage[]> {
    if (history.every(({ content }) => content === null || typeof content === 'string')) return history;
    const { seeHistory } = await import('./see-input.ts');
    return await seeHistory(history, this.#ports, signal);
  }
}
