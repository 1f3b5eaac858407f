/** Which platforms this home has, and with which settings. */
import { firstSet } from '../../config/env-values.ts';
import type { Variables } from '../../config/variables.ts';
import { errorMessage } from '../../lib/errors.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { platformCatalogue } from '../catalogue.ts';
import type { ConfiguredPlatform } from '../platform/configured-platform.ts';
import type { HomeChannel, PlatformConfig } from '../platform/platform-config.ts';
import type { Platform, PlatformEntry, PlatformReading, Translation } from '../platform/platform.ts';

export interface PlatformReport {
  readonly platform: Platform;
  readonly config: PlatformConfig;
  /** Its credentials are there; `config.enabled` says whether it is wanted. */
  readonly configured: boolean;
  /** What is wrong with its settings, one line each. */
  readonly problems: readonly string[];
}

export interface PlatformSources {
  /** config.yaml as written. */
  readonly raw: JsonObject;
  readonly variables: Variables;
  /** Of plug-ins, which stand before those of the program. */
  readonly plugged?: readonly PlatformEntry[];
}

/** All platforms that there are; of one name that of a plug-in. */
export function allPlatforms(plugged: readonly PlatformEntry[] = []): readonly PlatformEntry[] {
  const names = new Set(plugged.map(({ name }) => name));
  return [...platformCatalogue.filter(({ name }) => !names.has(name)), ...plugged];
}

/** Those that are to be connected. A platform that is not mentioned anywhere is not even loaded. */
export async function configuredPlatforms(
  sources: PlatformSources,
  warn: (line: string) => void,
): Promise<readonly ConfiguredPlatform[]> {
  const all = allPlatforms(sources.plugged);
  for (const name of unknownPlatforms(sources.raw, all)) {
    warn(`platforms.${name} is left alone: this build has no such platform, and no plug-in that is loaded brings it.`);
  }
  const mentioned = all.filter((entry) => entry.plugin !== undefined || isMentioned(entry, sources));
  const reports = await Promise.all(
    mentioned.map(async (entry) => readPlatform((await entry.load()).platform, sources)),
  );
  return reports.flatMap(({ platform, config, configured, problems }) => {
    for (const problem of problems) warn(problem);
    return configured && config.enabled ? [{ platform, config }] : [];
  });
}

/** All platforms of this build, for status and setup. */
export async function platformReports(sources: PlatformSources): Promise<readonly PlatformReport[]> {
  return await Promise.all(
    allPlatforms(sources.plugged).map(async (entry) => readPlatform((await entry.load()).platform, sources)),
  );
}

/** `platforms.<name>` beats `gateway.platforms.<name>`, which beats a block of its own at the top; `extra` is merged. */
export function readPlatform(platform: Platform, sources: PlatformSources): PlatformReport {
  const block = blockOf(platform.name, sources.raw);
  const { variables, extra: translated } = translate(platform, block, sources);
  const reading = readOrSay(platform, variables, { ...block, ...translated });
  const { configured, extra } = reading;
  const off = block['enabled'] === false;
  const mode = extra['reply_to_mode'] ?? block['reply_to_mode'];
  const home = homeChannel(platform, variables, block) ?? reading.homeChannel;
  const { maxMessageLength = platform.maxMessageLength } = reading;
  return {
    platform: { ...platform, maxMessageLength },
    configured,
    problems: reading.problems,
    config: {
      platform: platform.name,
      // Credentials are enough, unless the file says no.
      enabled: !off && configured,
      token: reading.token,
      apiKey: reading.apiKey,
      homeChannel: home,
      replyToMode: mode === 'off' || mode === 'all' ? mode : 'first',
      restartNotification: block['gateway_restart_notification'] !== false,
      typingIndicator: block['typing_indicator'] !== false,
      extra,
    },
  };
}

function translate(platform: Platform, block: JsonObject, { raw, variables }: PlatformSources): Translation {
  const isWritten = blocksOf(platform.name, raw).some(isJsonObject);
  const nothing = { variables, extra: {} };
  return isWritten ? (platform.translate?.({ raw, block, variables }) ?? nothing) : nothing;
}

function readOrSay(
  platform: Platform,
  variables: Variables,
  block: Readonly<Record<string, unknown>>,
): PlatformReading {
  try {
    return platform.read(variables, block);
  } catch (error) {
    return { configured: false, extra: {}, problems: [`${platform.label}: ${errorMessage(error)}`] };
  }
}

function blockOf(name: string, raw: JsonObject): JsonObject {
  const gateway = objectAt(raw, 'gateway');
  const layers = [
    objectAt(raw, name),
    objectAt(objectAt(gateway, 'platforms'), name),
    objectAt(objectAt(raw, 'platforms'), name),
  ];
  const extras = layers.map((layer) => objectAt(layer, 'extra'));
  return Object.assign({}, ...layers, ...extras);
}

function homeChannel(platform: Platform, variables: Variables, block: JsonObject): HomeChannel | undefined {
  const read = (suffix: string): string | undefined =>
    firstSet(variables, [`${platform.homeVariable}${suffix}`])?.value;
  const written = block['home_channel'] ?? block['home_chat_id'];
  const map = isJsonObject(written) ? written : {};
  const chatId = read('') ?? textOf(map['chat_id']) ?? (isJsonObject(written) ? undefined : textOf(written));
  if (chatId === undefined || chatId === '') return undefined;
  return {
    chatId,
    name: read('_NAME') ?? textOf(map['name']),
    threadId: read('_THREAD_ID') ?? textOf(map['thread_id']) ?? null,
  };
}

function isMentioned({ name, variables: names }: PlatformEntry, { raw, variables }: PlatformSources): boolean {
  return firstSet(variables, names) !== undefined || blocksOf(name, raw).some(isJsonObject);
}

/** What stands where a platform may be spoken of. */
function blocksOf(name: string, raw: JsonObject): readonly unknown[] {
  return [raw, objectAt(raw, 'platforms'), objectAt(objectAt(raw, 'gateway'), 'platforms')].map((map) => map[name]);
}

function unknownPlatforms(raw: JsonObject, all: readonly PlatformEntry[]): readonly string[] {
  const known = new Set(all.map(({ name }) => name));
  const blocks = { ...objectAt(objectAt(raw, 'gateway'), 'platforms'), ...objectAt(raw, 'platforms') };
  return Object.entries(blocks)
    .filter(
      ([name, block]) => !known.has(name) && !ofOthers.has(name) && isJsonObject(block) && block['enabled'] !== false,
    )
    .map(([name]) => name);
}

/** Served by the HTTP server. */
const ofOthers: ReadonlySet<string> = new Set(['api_server', 'webhook']);

function objectAt(map: JsonObject, name: string): JsonObject {
  const value = map[name];
  return isJsonObject(value) ? value : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
