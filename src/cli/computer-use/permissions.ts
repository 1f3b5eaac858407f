/** `hermes computer-use permissions`: what macOS lets the driver do. They belong to the driver (`com.trycua.driver`), not to us. */
import * as z from 'zod';
import { runInteractive } from '../../environments/run-interactive.ts';
import type { JsonObject } from '../../lib/json.ts';
import { findDriver } from '../../runtime/find-driver.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import type { CliContext } from '../command.ts';
import { askForJson, driverEnvironment, howToInstall, installedDriver } from './driver.ts';

const supported: ReadonlySet<string> = new Set(['darwin', 'win32', 'linux']);
const doctorMs = 12_000;
const permissionsMs = 10_000;

const doctorShape = z.looseObject({
  ok: z.boolean().catch(false),
  probes: z
    .array(z.looseObject({ label: z.string().catch(''), status: z.string().catch(''), message: z.string().catch('') }))
    .catch([]),
});
const flag = z.boolean().nullable().catch(null);
const grantShape = z.looseObject({
  accessibility: flag.default(null),
  screen_recording: flag.default(null),
  screen_recording_capturable: flag.default(null),
  source: z.record(z.string(), z.unknown()).nullable().catch(null).default(null),
});

type Grants = z.infer<typeof grantShape>;

interface Readiness
  extends Pick<Grants, 'accessibility' | 'screen_recording' | 'screen_recording_capturable' | 'source'> {
  readonly platform: string;
  readonly platform_supported: boolean;
  readonly installed: boolean;
  readonly version: string | null;
  /** Null: nobody knows. */
  readonly ready: boolean | null;
  /** Only a Mac has something to grant. */
  readonly can_grant: boolean;
  readonly checks: readonly { readonly label: string; readonly status: string; readonly message: string }[];
  readonly error: string | null;
}

/** The exit code: 0 when the driver may do its work. `platform`: that of this machine. */
export async function permissionStatus(
  context: CliContext,
  json: boolean,
  platform: string = process.platform,
): Promise<number> {
  const found = await readinessOf(context, platform);
  if (json) context.io.stdout.write(`${JSON.stringify(found, undefined, 2)}\n`);
  else show(context, found);
  return found.ready === true ? 0 : 1;
}

/** The exit code: that of the driver, 2 without it, 64 where there is nothing to grant. */
export async function grantPermissions(context: CliContext, platform: string = process.platform): Promise<number> {
  if (platform !== 'darwin') {
    say(context, 'Only macOS has such permissions; nothing is to be granted here.');
    return 64;
  }
  const path = findDriver(context.env);
  if (path === undefined) {
    say(context, `cua-driver: not installed. ${howToInstall}`);
    return 2;
  }
  say(
    context,
    'macOS asks for Accessibility and Screen Recording in the name of CuaDriver (com.trycua.driver): say yes there, then come back.',
  );
  return await runInteractive(path, ['permissions', 'grant'], await driverEnvironment(context));
}

async function readinessOf(context: CliContext, platform: string): Promise<Readiness> {
  const driver = await installedDriver(context);
  const isMac = platform === 'darwin';
  const unknown: Readiness = {
    platform,
    platform_supported: supported.has(platform),
    installed: driver !== undefined,
    version: driver?.version ?? null,
    ready: null,
    can_grant: isMac,
    checks: [],
    error: null,
    ...grantShape.parse({}),
  };
  if (driver === undefined) return unknown;
  const health = doctorShape.safeParse(await askForJson(context, driver.path, ['doctor', '--json'], doctorMs));
  const checks = health.success
    ? health.data.probes.map(({ label, status, message }) => ({ label, status, message }))
    : [];
  if (!isMac) return { ...unknown, checks, ready: health.success ? health.data.ok : null };
  const args = ['permissions', 'status', '--json'];
  const said: JsonObject | undefined = await askForJson(context, driver.path, args, permissionsMs);
  if (said === undefined) return { ...unknown, checks, error: 'cua-driver permissions status says nothing' };
  const { accessibility, screen_recording, screen_recording_capturable, source } = grantShape.parse(said);
  const grants = { accessibility, screen_recording, screen_recording_capturable, source };
  return { ...unknown, checks, ...grants, ready: accessibility === true && screen_recording === true };
}

function show(context: CliContext, found: Readiness): void {
  if (!found.platform_supported) return say(context, `There is no cua-driver for ${found.platform}.`);
  if (!found.installed) return say(context, `cua-driver: not installed. ${howToInstall}`);
  say(context, `cua-driver: ${found.version ?? 'installed'} (${found.platform})`);
  if (found.can_grant) {
    say(context, `  ${mark(found.accessibility)} Accessibility`);
    say(context, `  ${mark(found.screen_recording)} Screen Recording`);
    if (found.ready !== true) say(context, '  Grant them: hermes computer-use permissions grant');
  } else say(context, `  ${mark(found.ready)} the driver itself (${found.platform} has no permissions for it)`);
  for (const { label, status, message } of found.checks) if (status !== 'ok') say(context, `  ⚠ ${label}: ${message}`);
  if (found.error !== null) say(context, `  ⚠ ${found.error}`);
}

function mark(state: boolean | null): string {
  if (state === null) return '·';
  return state ? '✓' : '✗';
}

function say({ io }: CliContext, line: string): void {
  io.stdout.write(`${escapeForDisplay(line, { singleLine: true })}\n`);
}
