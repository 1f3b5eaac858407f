/** What plug-ins bring in the place of services, in the shapes in which tools and speech know their own. Loaded where one brings something. */
import type { JsonObject } from '../../lib/json.ts';
import type { PluginProvider, ProviderKind } from '../../plugins/packages/provider.ts';
import type { AddedRecogniser } from '../../speech/recognition/recogniser.ts';
import type { AddedSpeaker } from '../../speech/added-speaker.ts';
import type { CloudEntry } from '../../tools/browser/cloud/cloud-browser.ts';
import type { ImageProvider } from '../../tools/making/images/image-provider.ts';
import type { VideoProvider } from '../../tools/making/videos/video-provider.ts';
import type { BackendEntry } from '../../tools/web/backends/web-backend.ts';
import { addedBrowser } from './browser.ts';
import { addedImages } from './images.ts';
import { addedRecogniser } from './recogniser.ts';
import { addedSpeaker } from './speaker.ts';
import { addedVideos } from './videos.ts';
import { addedWeb } from './web.ts';

export interface AddedProviders {
  readonly web: readonly BackendEntry[];
  readonly images: readonly ImageProvider[];
  readonly videos: readonly VideoProvider[];
  readonly browsers: readonly CloudEntry[];
  readonly speakers: readonly AddedSpeaker[];
  readonly recognisers: readonly AddedRecogniser[];
}

/** `raw`: the configuration as it is written. */
export function addedProviders(all: readonly PluginProvider[], raw: JsonObject): AddedProviders {
  const of = (kind: ProviderKind): readonly PluginProvider[] => all.filter((provider) => provider.kind === kind);
  return {
    web: of('web').map(addedWeb),
    images: of('image').map(addedImages),
    videos: of('video').map(addedVideos),
    browsers: of('browser').map(addedBrowser),
    speakers: of('tts').map((provider) => addedSpeaker(provider, raw['tts'])),
    recognisers: of('stt').map(addedRecogniser),
  };
}
