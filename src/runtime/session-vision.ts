/** Who looks at the pictures and videos of one session (`agent.image_input_mode`, `auxiliary.vision`). */
import { createHash } from 'node:crypto';
import { filled } from '../config/env-values.ts';
import { hasKey } from '../credentials/keys.ts';
import { UserError } from '../lib/errors.ts';
import type { ModelRoute } from '../llm/protocol.ts';
import type { SideModels, SideRequest } from '../llm/side-task.ts';
import { type EncodedPicture, partOf } from '../pictures/part.ts';
import { isAskedOfMain } from '../providers/asked-of-main.ts';
import { allProfiles } from '../providers/choose-provider.ts';
import type { Vision } from '../tools/vision/vision.ts';
import type { ModelAccess } from './model-access.ts';
import type { SessionParts } from './session-parts.ts';

export interface SessionVisionOptions {
  readonly parts: Pick<SessionParts, 'config'> & { readonly models: Pick<ModelAccess, 'sources'> };
  readonly side: Pick<SideModels, 'ask'>;
  /** The model of the conversation. */
  readonly route: () => Pick<ModelRoute, 'vision'>;
}

/** Pictures whose descriptions are remembered; one that is sent again (over the API, all of them are) is not asked about anew. */
const maxRemembered = 60;
const maxTokens = 2000;
const maxVideoTokens = 4000;

export class SessionVision implements Vision {
  readonly #options: SessionVisionOptions;
  readonly #remembered = new Map<string, string>();

  constructor(options: SessionVisionOptions) {
    this.#options = options;
  }

  get isNative(): boolean {
    const { parts, route } = this.#options;
    const { image_input_mode: mode } = parts.config.config.agent;
    if (mode !== 'auto') return mode === 'native';
    return (
      route().vision !== false && isAskedOfMain('vision', parts.config.config.auxiliary.vision, parts.models.sources)
    );
  }

  get canDescribe(): boolean {
    const { parts, route } = this.#options;
    const { sources } = parts.models;
    const { config } = parts.config;
    if (route().vision !== false || !isAskedOfMain('vision', config.auxiliary.vision, sources)) return true;
    if (config.auxiliary.vision.fallback_chain.length + config.fallback_providers.length > 0) return true;
    const { settings, variables } = sources;
    return allProfiles(settings).some(
      (profile) =>
        profile.sideRank?.vision !== undefined &&
        (hasKey(profile, variables.named) || settings.stored?.has(profile.id) === true),
    );
  }

  async describe(picture: EncodedPicture, question: string, signal: AbortSignal): Promise<string> {
    const key = createHash('sha256').update(question).update('\0').update(picture.bytes).digest('base64');
    const known = this.#remembered.get(key);
    if (known !== undefined) return known;
    const content = [{ type: 'text', text: question } as const, partOf(picture)];
    const request: SideRequest = { messages: [{ role: 'user', content }], maxTokens, temperature: 0.1 };
    const { text } = await this.#options.side.ask('vision', request, signal).catch((error: unknown) => {
      throw this.canDescribe ? error : nobodySees(error);
    });
    if (text.trim() === '') throw new UserError('The model that was asked about the picture said nothing.');
    this.#remember(key, text.trim());
    return text.trim();
  }

  get canWatch(): boolean {
    return this.#videoModel !== undefined || this.canDescribe;
  }

  async watch(video: string, question: string, signal: AbortSignal): Promise<string> {
    const content = [
      { type: 'text', text: question } as const,
      { type: 'video_url', video_url: { url: video } } as const,
    ];
    const model = this.#videoModel;
    const request: SideRequest = {
      messages: [{ role: 'user', content }],
      maxTokens: maxVideoTokens,
      temperature: 0.1,
      ...(model === undefined ? {} : { model }),
    };
    // Some models that look at a video for long say nothing the first time.
    for (let tried = 0; tried < 2; tried += 1) {
      const { text } = await this.#options.side.ask('video', request, signal).catch((error: unknown) => {
        throw this.canWatch ? error : nobodySees(error);
      });
      if (text.trim() !== '') return text.trim();
    }
    throw new UserError('The model that was asked about the video said nothing.');
  }

  get #videoModel(): string | undefined {
    return filled(this.#options.parts.config.config.auxiliary.video.model);
  }

  #remember(key: string, text: string): void {
    this.#remembered.set(key, text);
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size > maxRemembered && oldest !== undefined) this.#remembered.delete(oldest);
  }
}

function nobodySees(cause: unknown): UserError {
  return new UserError('No model is set up that can look at pictures.', {
    hint: 'Name one as auxiliary.vision.provider and auxiliary.vision.model.',
    cause,
  });
}
