/** Which service makes something, and with which model: what `image_gen` or `video_gen` say, and which keys are there. */
import * as z from 'zod';
import {
  type MadeThing,
  makerNamed,
  mediaServices,
  type MediaServiceId,
  type ServiceVariables,
  wayToMaker,
} from '../../config/media-variables.ts';
import type { MediaAccess } from './media-access.ts';
import type { Service } from './ask-service.ts';

interface Known {
  readonly id: string;
  readonly name: string;
  readonly baseUrl: string;
  readonly models: readonly string[];
  readonly takesOthers?: boolean;
}

export interface Chosen<Provider> {
  readonly provider: Provider;
  readonly service: Service;
  /** Undefined: none is named, and the service has to be asked for one. */
  readonly model: string | undefined;
}

/** `image_gen` or `video_gen`; `<service>: {model, base_url}` are settings of one service. */
export interface MakingSettings {
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly use_gateway?: boolean | undefined;
  readonly [key: string]: unknown;
}

/** What the environment says of models; over the settings, but for some services, as in the original. */
export interface ModelNames {
  readonly thing: MadeThing;
  readonly ofEnvironment: (setUp: ServiceVariables) => string | undefined;
  readonly environmentLast?: readonly MediaServiceId[];
}

const own = z.looseObject({
  model: z.string().optional().catch(undefined),
  base_url: z.string().optional().catch(undefined),
});

/** Undefined when the one that is named, or the usual one, has no key and is not reached through the tool gateway. Without a name it is FAL. */
export function chosenService<Provider extends Known>(
  providers: readonly Provider[],
  settings: MakingSettings,
  access: MediaAccess | undefined,
  { thing, ofEnvironment, environmentLast = [] }: ModelNames,
): Chosen<Provider> | undefined {
  const wanted = makerNamed(settings.provider);
  const provider = providers.find(({ id }) => id === wanted);
  const id = mediaServices.find((known) => known === provider?.id);
  const setUp = id === undefined ? undefined : access?.setUp[id];
  if (provider === undefined || id === undefined || access === undefined || setUp === undefined) return undefined;
  const { model: ownModel, base_url: ownAddress } = own.catch({}).parse(settings[id] ?? {});
  // A login goes to its own address: who names another one means a key.
  const logins = ownAddress ? undefined : access.logins;
  const way = wayToMaker(thing, settings, access.setUp, { gateway: access.gateway, logins });
  if (way.kind === 'none') return undefined;
  const named = ofEnvironment(setUp);
  const candidates = environmentLast.includes(id)
    ? [ownModel, settings.model, named]
    : [named, ownModel, settings.model];
  const known = candidates.find(
    (model) =>
      model !== undefined && model !== '' && (provider.takesOthers === true || provider.models.includes(model)),
  );
  const ownUrl = (ownAddress || setUp.address || provider.baseUrl).replace(/\/+$/, '');
  const { name } = provider;
  return {
    provider,
    model: known ?? provider.models[0],
    // Opened when it is asked.
    service: {
      ...(way.kind === 'gateway'
        ? { name: `${name} through Nous Portal`, baseUrl: way.address, key: '', gateway: way }
        : { name, baseUrl: ownUrl, key: setUp.key ?? '' }),
      ...(way.kind === 'login' ? { login: (signal: AbortSignal) => access.login(id, signal) } : {}),
      get connections() {
        return access.connections();
      },
    },
  };
}

/** The one of a plug-in that is named; undefined where none is, and where it cannot be asked. It has its own way to its service. */
export function addedService<Provider extends Known & { isAvailable?(): boolean }>(
  providers: readonly Provider[] | undefined,
  settings: MakingSettings,
  access: MediaAccess | undefined,
): Chosen<Provider> | undefined {
  const wanted = makerNamed(settings.provider);
  const provider = providers?.find(({ id }) => id === wanted);
  if (provider === undefined || access === undefined || provider.isAvailable?.() === false) return undefined;
  const { model } = own.catch({}).parse(settings[provider.id] ?? {});
  return {
    provider,
    model: [model, settings.model].find((named) => named !== undefined && named !== '') ?? provider.models[0],
    service: {
      name: provider.name,
      baseUrl: '',
      key: '',
      get connections() {
        return access.connections();
      },
    },
  };
}
