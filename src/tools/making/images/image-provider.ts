/** A service that makes pictures. One file each, one line in `catalogue.ts`. */
import type { Service } from '../ask-service.ts';
import type { SourcePicture } from '../source-picture.ts';

export const ratios = ['landscape', 'square', 'portrait'] as const;
export type Ratio = (typeof ratios)[number];

export interface ImageRequest {
  readonly prompt: string;
  readonly ratio: Ratio;
  readonly model: string;
  /** What is to be changed, and what to go by; within bounds already, and no more than the model takes. */
  readonly sources: readonly SourcePicture[];
}

/** Its data, or a `data:` or http(s) address where it can be fetched for a while. */
export type MadeImage = { readonly base64: string } | { readonly url: string };

export interface ImageProvider {
  /** As `image_gen.provider` names it. */
  readonly id: string;
  /** As people call it. */
  readonly name: string;
  readonly baseUrl: string;
  /** Default first; empty: the service lists them itself. */
  readonly models: readonly string[];
  /** Models that are not in the list may be named as well. */
  readonly takesOthers?: boolean;
  /** Of one of a plug-in: whether it can be asked. */
  isAvailable?(): boolean;
  /** How many pictures a model takes; 0: it only makes new ones. */
  maxSources(model: string): number;
  /** The model to take where none is named and the list is empty. */
  findModel?(service: Service, signal: AbortSignal): Promise<string | undefined>;
  /** Throws `ServiceError`, and the signal's reason. */
  make(request: ImageRequest, service: Service, signal: AbortSignal): Promise<MadeImage>;
}
