/** The windows and apps of a desktop, as the driver lists them, and which of them a name means. */
import * as z from 'zod';
import type { DriverAnswer } from './read-answer.ts';

export interface DesktopWindow {
  readonly app: string;
  readonly title: string;
  readonly pid: number;
  readonly windowId: number;
  readonly isOnScreen: boolean;
  /** Higher is nearer to the front. */
  readonly depth: number;
}

export interface DesktopApp {
  readonly name: string;
  readonly pid: number | undefined;
  readonly running: boolean;
  readonly bundleId: string | undefined;
  readonly windows: number;
}

/** A desktop that has more is told in part. */
const maxWindows = 200;
const maxNameChars = 200;

const name = z
  .string()
  .catch('')
  .transform((text) => text.slice(0, maxNameChars).toWellFormed());
const bounds = z.looseObject({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });

/** A window without an owner, such as the root of X11, cannot be looked at. */
const windowRow = z.looseObject({
  pid: z.coerce.number().int().positive(),
  window_id: z.coerce.number().int().positive(),
  app_name: name,
  title: name,
  is_on_screen: z.boolean().catch(true),
  z_index: z.number().nullish().catch(null),
  bounds: bounds.optional().catch(undefined),
});

const appRow = z.looseObject({
  name,
  pid: z.coerce.number().int().positive().optional().catch(undefined),
  running: z.boolean().catch(true),
  bundle_id: z.string().nullish().catch(null),
  windows: z.array(z.unknown()).catch([]),
});

/** The frontmost first. */
export function windowsIn({ facts }: DriverAnswer): readonly DesktopWindow[] {
  return rows(facts['windows'], windowRow)
    .map((row) => ({
      app: row.app_name,
      title: row.title,
      pid: row.pid,
      windowId: row.window_id,
      isOnScreen: row.is_on_screen,
      depth: row.z_index ?? 0,
    }))
    .toSorted((left, right) => right.depth - left.depth)
    .slice(0, maxWindows);
}

export function appsIn({ facts }: DriverAnswer): readonly DesktopApp[] {
  return rows(facts['apps'], appRow).map((row) => ({
    name: row.name,
    pid: row.pid,
    running: row.running,
    bundleId: row.bundle_id ?? undefined,
    windows: row.windows.length,
  }));
}

function rows<Shape extends z.ZodType>(listed: unknown, shape: Shape): readonly z.infer<Shape>[] {
  if (!Array.isArray(listed)) return [];
  return listed.flatMap((row: unknown) => {
    const read = shape.safeParse(row);
    return read.success ? [read.data] : [];
  });
}

/**
 * The windows that a name means; empty when none does. Whole names go before parts of them, so that `Code` is not `Visual Studio
 * Code` because that lies in front; and what the list of apps says goes before titles, which anybody chooses.
 */
export function windowsOf(
  wanted: string,
  windows: readonly DesktopWindow[],
  apps: readonly DesktopApp[],
): readonly DesktopWindow[] {
  const named = wanted.trim().toLowerCase();
  if (named === '') return [];
  const lower = (text: string | undefined): string => (text ?? '').trim().toLowerCase();
  const running = apps.filter((app) => app.running && app.pid !== undefined);
  const pidsWhere = (fits: (alias: string) => boolean): ReadonlySet<number | undefined> =>
    new Set(
      running.filter((app) => [app.name, app.bundleId].some((alias) => fits(lower(alias)))).map(({ pid }) => pid),
    );
  const whole = pidsWhere((alias) => alias === named);
  const part = pidsWhere((alias) => alias.includes(named));
  const ways: readonly ((window: DesktopWindow) => boolean)[] = [
    ({ app }) => lower(app) === named,
    ({ pid }) => whole.has(pid),
    ({ app }) => lower(app).includes(named),
    ({ pid }) => part.has(pid),
    ({ app, title }) => lower(app) === '' && lower(title).includes(named),
  ];
  for (const way of ways) {
    const found = windows.filter(way);
    if (found.length > 0) return found;
  }
  return [];
}
