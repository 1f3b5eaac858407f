/** How a session asks services that make pictures and videos; what they are and what they take is in their files. */
import type { MediaServiceId, MediaVariables } from '../../config/media-variables.ts';
import type { ToolGateway } from '../../config/tool-gateway.ts';
import type { Connections } from '../../lib/connections.ts';
import type { MediaLogin } from './ask-service.ts';
import type { ImageProvider } from './images/image-provider.ts';
import type { VideoProvider } from './videos/video-provider.ts';

export interface MediaAccess {
  /** What is set up of each service. */
  readonly setUp: MediaVariables;
  /** Absent: there is none. */
  readonly gateway?: ToolGateway;
  /** Services that somebody is logged in to. */
  readonly logins?: ReadonlySet<string>;
  /** The login of one of them; undefined when it is no good any more. */
  login(id: MediaServiceId, signal: AbortSignal): Promise<MediaLogin | undefined>;
  /** Of plug-ins, beside those of the program. */
  readonly added?: { readonly images: readonly ImageProvider[]; readonly videos: readonly VideoProvider[] };
  /** Opened with the first request. */
  connections(): Pick<Connections, 'send'>;
}
