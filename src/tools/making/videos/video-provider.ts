/** A service that makes videos. One file each, one line in `catalogue.ts`. */
import type { Service } from '../ask-service.ts';
import type { SourcePicture } from '../source-picture.ts';

export const videoRatios = ['16:9', '9:16', '1:1', '4:3', '3:4', '3:2', '2:3'] as const;
export const resolutions = ['480p', '540p', '720p', '1080p'] as const;

export interface VideoRequest {
  readonly prompt: string;
  readonly model: string;
  /** The model named by the call stands over what the kind of video would want. */
  readonly isModelAsked: boolean;
  /** The first picture of the video. */
  readonly image?: SourcePicture;
  readonly references: readonly SourcePicture[];
  /** Seconds. */
  readonly duration?: number | undefined;
  readonly ratio: (typeof videoRatios)[number];
  readonly resolution: (typeof resolutions)[number];
  readonly negativePrompt?: string | undefined;
  readonly audio?: boolean | undefined;
  readonly seed?: number | undefined;
}

/** What it came to may be less, or something else, than was asked for. */
export interface MadeVideo {
  readonly url: string;
  /** What it is, where there is no address of it. */
  readonly bytes?: Uint8Array;
  /** Where it may be changed later, at the service that made it; absent: it changes none. */
  readonly publicUrl?: string;
  readonly model: string;
  /** Seconds; 0: the service did not say. */
  readonly duration: number;
}

export interface VideoProvider {
  /** As `video_gen.provider` names it. */
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
  /** Pictures to go by, besides the first one of the video. */
  readonly maxReferences: number;
  /** In a few words: how long the videos of a model may be; empty is the one that is yet to be found. */
  limits(model: string): string;
  /** The model to take where none is named and the list is empty. */
  findModel?(service: Service, signal: AbortSignal): Promise<string | undefined>;
  /** Throws `ServiceError`, `Unsupported` and the signal's reason. */
  make(request: VideoRequest, service: Service, signal: AbortSignal): Promise<MadeVideo>;
}
