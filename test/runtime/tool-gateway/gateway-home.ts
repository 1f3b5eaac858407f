/** A home whose tool gateways are all one server, and what its services make of it. */
import { type TestContext } from 'node:test';
import { cloudBrowserVariables } from '../../../src/config/cloud-browser-variables.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { wayTo } from '../../../src/config/tool-gateway.ts';
import { fetchOver } from '../../../src/lib/fetch-over.ts';
import { noLog } from '../../../src/lib/log.ts';
import { openModelAccess } from '../../../src/runtime/model-access.ts';
import { configuredCloud } from '../../../src/runtime/configured-cloud.ts';
import { sessionMedia } from '../../../src/runtime/session-media.ts';
import { sessionWeb } from '../../../src/runtime/session-web.ts';
import { speechAccess } from '../../../src/runtime/speech-access.ts';
import { toolGateway } from '../../../src/runtime/tool-gateway.ts';
import { speak } from '../../../src/speech/speak.ts';
import { chooseCloud } from '../../../src/tools/browser/cloud/catalogue.ts';
import { chosenService } from '../../../src/tools/making/chosen-service.ts';
import { imageProviders } from '../../../src/tools/making/images/catalogue.ts';
import { webSearchTool } from '../../../src/tools/web/web-search.ts';
import { temporaryHome } from '../../config/temporary-home.ts';
import { type JsonAnswer, type JsonRequest, type Routes, startJsonServer } from '../../fakes/json-server.ts';
import { openWeb } from '../../tools/web/support.ts';

export const patience = (): AbortSignal => AbortSignal.timeout(120_000);
export const subscribed = { paid_access: true };
export const directKey = 'key-of-the-owner-0123456789';
const variables = 'FIRECRAWL FAL_QUEUE KREA OPENAI_AUDIO BROWSER_USE MODAL'
  .split(' ')
  .map((name) => `${name}_GATEWAY_URL`);

export function tokenWith(claims: object): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part({ exp: 4e9, ...claims })}.signature`;
}

export interface HomeOptions {
  /** Of the token of the login; absent: nobody has logged in. */
  readonly claims?: object;
  readonly config?: object;
  readonly env?: Readonly<Record<string, string>>;
  /** Variables with addresses below the server. */
  readonly places?: Readonly<Record<string, string>>;
  /** Of `auth.json`, in place of a login with these claims. */
  readonly logins?: object;
  readonly routes?: Routes;
}

/** A home whose gateways are all one server; a path of its own for each. */
export async function homeWith(
  t: TestContext,
  { claims, config = {}, env = {}, places = {}, logins, routes = {} }: HomeOptions,
) {
  const server = await startJsonServer(routes);
  t.after(() => server[Symbol.asyncDispose]());
  const { home, env: bare, write } = temporaryHome(t);
  const token = claims === undefined ? '' : tokenWith(claims);
  const login = { id: 'l', source: 'device_code', auth_type: 'oauth', access_token: token, refresh_token: 'r' };
  const file = logins ?? (claims === undefined ? undefined : { credential_pool: { nous: [login] } });
  if (file !== undefined) write('auth.json', JSON.stringify({ version: 1, ...file }));
  write('config.yaml', JSON.stringify(config));
  const gateways = variables.map((name) => [name, `/${name.replace('_GATEWAY_URL', '')}/`] as const);
  const own = [...gateways, ...Object.entries(places)].map(([name, path]) => [name, server.url + path] as const);
  const all = { ...bare, ...Object.fromEntries(own), ...env };
  const loaded = await loadConfig({ home, env: all, ignoreUserConfig: false });
  const models = await openModelAccess({ home, env: all, config: loaded });
  t.after(() => models.close());
  const masked: string[] = [];
  const onToken = (told: string): void => void masked.push(told);
  return { server, token, masked, parts: { home, env: all, config: loaded, log: noLog, models, onToken } };
}

/** What was sent, and with which key. */
export function sent({ method, path, headers, body }: JsonRequest) {
  const { authorization, 'x-browser-use-api-key': browserUse } = headers;
  return { asked: `${method} ${path}`, key: authorization ?? browserUse, body: JSON.parse(body || 'null') as unknown };
}

export const noSubscription: JsonAnswer = { status: 402, body: { error: 'No active subscription' } };
export const toPortal =
  /the tool gateway of Nous Portal refused it \(status 402: No active subscription\)\. Renew the subscription or add credits at https:\/\/portal\.nousresearch\.com\/billing, or log in again with `hermes auth add nous`\./;

export async function searched(t: TestContext, options: HomeOptions) {
  const place = await homeWith(t, options);
  const web = sessionWeb(place.parts);
  const { call } = openWeb(t, { settings: { web: { use_gateway: place.parts.config.config.web.use_gateway } }, web });
  return { ...place, result: await call(webSearchTool, { query: 'cats' }) };
}

/** What a service made, or why not; `at` is its own address, below the server. */
export async function drawn(t: TestContext, options: HomeOptions, at?: string) {
  const place = await homeWith(t, options);
  const { image_gen: written } = place.parts.config.config;
  const settings = at === undefined ? written : { ...written, fal: { base_url: place.server.url + at } };
  const names = { thing: 'image', ofEnvironment: () => undefined } as const;
  const chosen = chosenService(imageProviders, settings, sessionMedia(place.parts), names);
  const asked = { prompt: 'a cat', ratio: 'square', model: chosen?.model ?? '', sources: [] } as const;
  const picture = await chosen?.provider.make(asked, chosen.service, patience()).catch((error: Error) => error.message);
  return { ...place, picture, name: chosen?.service.name };
}

export const openai = { provider: 'openai', openai: { model: 'tts-1-hd' } };

export async function spoken(t: TestContext, options: HomeOptions) {
  const place = await homeWith(t, options);
  const said = await speak('Hello.', 'mp3', speechAccess(place.parts), patience()).then(
    ({ bytes }) => Buffer.from(bytes).toString(),
    (error: Error) => error.message,
  );
  return { ...place, said };
}

export async function lent(t: TestContext, options: HomeOptions) {
  const place = await homeWith(t, options);
  const { parts } = place;
  const cloud = cloudBrowserVariables(parts.env);
  const isWanted = parts.config.config.browser.use_gateway;
  const hasOwn = cloud.browserUseKey !== undefined;
  const browserUse = wayTo('browser-use', { isWanted, hasOwn }, toolGateway(parts));
  const access = { cloud, browserUse, firecrawl: { key: undefined, url: undefined }, fetch: fetchOver({}) };
  const entry = chooseCloud('browser-use', access);
  const service = await entry?.load();
  const request = { access, signal: patience() };
  const told = await service
    ?.start(request)
    .then(async ({ id }) => await service.end(id, request))
    .catch((error: Error) => error.message);
  return { ...place, told, name: configuredCloud(parts, fetchOver({}))?.name };
}
