/** Names of the program's own services, which plug-ins cannot take. */
import { mediaServices } from '../../config/media-variables.ts';
import { knownServices } from '../../config/recognisers.ts';
import { speakers } from '../../config/speakers.ts';
import type { ProviderKind } from '../../plugins/packages/provider.ts';
import { cloudNames } from '../../tools/browser/cloud/catalogue.ts';
import { videoProviders } from '../../tools/making/videos/catalogue.ts';

export const ownProviderNames: Readonly<Record<ProviderKind, readonly string[]>> = {
  // A plug-in may stand in the place of a service that is asked, not of the reader that asks pages itself.
  web: ['auto', 'builtin'],
  image: mediaServices,
  video: videoProviders.map(({ id }) => id),
  browser: cloudNames,
  tts: speakers.map(({ id }) => id),
  stt: ['local', 'local_command', ...knownServices.map(({ id }) => id)],
};
