/** Brings a picture that a service made to this machine. */
import { parseDataUrl } from '../../../llm/protocols/data-url.ts';
import { pictureType } from '../../../pictures/kind.ts';
import type { ToolServices } from '../../services.ts';
import { getOutbound } from '../../web/outbound.ts';
import { type Service, ServiceError } from '../ask-service.ts';
import { keepMade } from '../keep-made.ts';
import type { MadeImage } from './image-provider.ts';

const maxBytes = 50 * 1024 * 1024;
const timeoutMs = 60_000;

/** Its path. Throws `ServiceError` for what is no picture, `UserError` for an address that cannot be read. */
export async function keepImage(
  made: MadeImage,
  { name }: Pick<Service, 'name'>,
  services: ToolServices,
  signal: AbortSignal,
): Promise<string> {
  const bytes = await bytesOf(made, name, services, signal);
  const type = pictureType(bytes);
  if (type === undefined) throw new ServiceError(`${name} answered with something that is no picture.`);
  return await keepMade(services.paths.homePath, 'images', bytes, type.slice('image/'.length).replace('jpeg', 'jpg'));
}

async function bytesOf(
  made: MadeImage,
  name: string,
  { config, state: { web } }: ToolServices,
  signal: AbortSignal,
): Promise<Buffer> {
  if ('base64' in made) return Buffer.from(made.base64, 'base64');
  const data = parseDataUrl(made.url);
  if (data !== undefined) return Buffer.from(data.base64, 'base64');
  const { status, body } = await getOutbound(made.url, {
    accept: 'image/*',
    allowPrivate: config.security.allow_private_urls,
    proxies: web.proxies,
    timeoutMs,
    maxBytes,
    signal,
  });
  if (status < 200 || status > 299)
    throw new ServiceError(`The picture of ${name} was answered with status ${status}.`);
  return Buffer.from(body);
}
