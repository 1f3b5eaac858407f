/** Finds a browser of the Chromium family on this machine. */
import { readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { isExecutable } from '../../lib/is-executable.ts';

export interface ChromiumPlaces {
  /** `AGENT_BROWSER_EXECUTABLE_PATH`: this one and no other. */
  readonly named?: string | undefined;
  /** `PLAYWRIGHT_BROWSERS_PATH`; default: where Playwright keeps them. */
  readonly playwright?: string | undefined;
  /** `PATH` */
  readonly searched: string;
  readonly userHome: string;
}

const names = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'brave-browser',
  'microsoft-edge',
];

const applications = ['Google Chrome', 'Chromium', 'Brave Browser', 'Microsoft Edge'];

/** Looks at a few names; undefined when there is none. */
export function findChromium({ named, playwright, searched, userHome }: ChromiumPlaces): string | undefined {
  if (named !== undefined && named !== '') return isExecutable(named) ? named : undefined;
  const folders = searched.split(delimiter).filter((folder) => folder !== '');
  const programs = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  const found = [...programs, ...installed()].find(isExecutable);
  return found ?? ofPlaywright(playwright ?? join(userHome, '.cache', 'ms-playwright')).find(isExecutable);
}

function installed(): readonly string[] {
  if (process.platform !== 'darwin') return [];
  return applications.map((name) => join('/Applications', `${name}.app`, 'Contents', 'MacOS', name));
}

/** `chromium-<revision>/chrome-linux[64]/chrome`, the newest first. */
function ofPlaywright(folder: string): readonly string[] {
  let revisions: readonly string[];
  try {
    revisions = readdirSync(folder).filter((name) => /^chromium-\d+$/.test(name));
  } catch {
    // Playwright has never been here.
    return [];
  }
  const newest = revisions.toSorted((left, right) => revisionOf(right) - revisionOf(left));
  return newest.flatMap((name) => ['chrome-linux64', 'chrome-linux'].map((kind) => join(folder, name, kind, 'chrome')));
}

function revisionOf(name: string): number {
  return Number(name.replace(/^\D+/, ''));
}
