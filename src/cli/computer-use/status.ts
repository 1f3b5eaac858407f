/** `hermes computer-use status` and `doctor`: whether the driver is here, and what it finds. */
import * as z from 'zod';
import { errorMessage, UserError } from '../../lib/errors.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import { readAnswer } from '../../tools/computer-use/read-answer.ts';
import { computerVariables } from '../../config/computer-variables.ts';
import { findDriver } from '../../runtime/find-driver.ts';
import type { CliContext } from '../command.ts';
import { askForJson, howToInstall, installedDriver, openDriver } from './driver.ts';

export async function status(context: CliContext): Promise<void> {
  const driver = await installedDriver(context);
  if (driver === undefined) return say(context, ['cua-driver: not installed', `  ${howToInstall}`]);
  const { path, version } = driver;
  say(context, [`cua-driver: installed at ${path}${version === undefined ? '' : ` (${version})`}`]);
  if (version === undefined) say(context, ['  ⚠ It does not tell its version. Next: hermes computer-use doctor']);
  const found = await newerVersion(context, path);
  if (found === undefined) say(context, ['  Bring it up to date: hermes computer-use install --upgrade']);
  else if (found.newer === undefined) say(context, ['  ✓ Up to date.']);
  else say(context, [`  ↑ cua-driver ${found.newer} is out. Run: hermes computer-use install --upgrade`]);
}

const updateShape = z.looseObject({
  update_available: z.boolean(),
  latest_version: z.string().nullish(),
  error: z.string().nullish(),
});

/** What the driver itself knows of newer ones; undefined: nothing, as nobody could be asked. */
export async function newerVersion(
  context: CliContext,
  path: string,
): Promise<{ readonly newer: string | undefined } | undefined> {
  const read = updateShape.safeParse(await askForJson(context, path, ['check-update', '--json'], 8000));
  if (!read.success || (read.data.error ?? '') !== '') return undefined;
  const { update_available: isOut, latest_version: latest } = read.data;
  return { newer: isOut ? (latest ?? 'a newer version') : undefined };
}

export interface DoctorOptions {
  readonly include: readonly string[];
  readonly skip: readonly string[];
  readonly json: boolean;
}

const reportShape = z.looseObject({
  overall: z.string(),
  platform: z.string().catch('?'),
  driver_version: z.string().catch('?'),
  checks: z
    .array(
      z.looseObject({
        name: z.string().catch('?'),
        status: z.string().catch('?'),
        message: z.string().catch(''),
        hint: z.string().optional().catch(undefined),
      }),
    )
    .catch([]),
});

const reportMs = 30_000;
const marks: Readonly<Record<string, string>> = {
  pass: '✓',
  fail: '✗',
  skip: '-',
  ok: '✓',
  degraded: '⚠',
  failed: '✗',
};

/** The exit code: 0 when all is well, 1 when something is not, 2 when nobody can be asked. */
export async function doctor(
  context: CliContext,
  { include, skip, json }: DoctorOptions,
  timeoutMs = reportMs,
): Promise<number> {
  const { io, env } = context;
  const path = findDriver(env);
  if (path === undefined) {
    say(context, [`cua-driver: not installed (looked for '${computerVariables(env).driver}')`, `  ${howToInstall}`]);
    return 2;
  }
  const driver = await openDriver(context, path);
  try {
    const wanted = { ...(include.length === 0 ? {} : { include }), ...(skip.length === 0 ? {} : { skip }) };
    const { facts, isError, text } = readAnswer(
      await driver.call('health_report', wanted, AbortSignal.timeout(timeoutMs)),
    );
    const read = reportShape.safeParse(facts);
    if (isError || !read.success) throw new UserError(`health_report says: ${text.slice(0, 300) || 'nothing'}`);
    if (json) io.stdout.write(`${JSON.stringify(facts, undefined, 2)}\n`);
    else showReport(context, read.data, facts);
    return read.data.overall === 'ok' ? 0 : 1;
  } catch (error) {
    const isLate = error instanceof DOMException && error.name === 'TimeoutError';
    const why = isLate ? `it did not answer within ${timeoutMs / 1000} seconds` : errorMessage(error);
    io.stderr.write(
      `cua-driver could not be asked: ${escapeForDisplay(why, { singleLine: true })}\n` +
        `  Bring it up to date: hermes computer-use install --upgrade, or see what it says itself: ${path} mcp\n`,
    );
    return 2;
  } finally {
    await driver.close();
  }
}

function showReport(context: CliContext, report: z.infer<typeof reportShape>, facts: JsonObject): void {
  const { overall, platform, driver_version: version, checks } = report;
  const listed = Array.isArray(facts['checks']) ? facts['checks'] : [];
  say(context, [`${marks[overall] ?? '·'} cua-driver ${version} on ${platform}: ${overall}`]);
  for (const [index, { name, status: state, message, hint }] of checks.entries()) {
    const row = listed[index];
    const data = isJsonObject(row) && isJsonObject(row['data']) ? Object.entries(row['data']) : [];
    say(context, [
      `  ${marks[state] ?? '·'} ${name}: ${message}`,
      ...(hint === undefined ? [] : [`      ${hint}`]),
      ...data.map(([key, value]) => `      ${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`),
    ]);
  }
}

function say({ io }: CliContext, lines: readonly string[]): void {
  for (const line of lines) io.stdout.write(`${escapeForDisplay(line, { singleLine: true })}\n`);
}
