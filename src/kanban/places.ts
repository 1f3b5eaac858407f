/** Where boards lie, and which one is meant. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { UserError } from '../lib/errors.ts';
import { parseJson } from '../lib/json.ts';

/** Paths are absolute. */
export interface BoardSettings {
  /** The root home, which all profiles share; or what stands in its place. */
  readonly home: string;
  /** The file of whichever board is asked for. */
  readonly database?: string | undefined;
  /** The board where none is named; unknown ones fall through. */
  readonly board?: string | undefined;
  readonly workspacesRoot?: string | undefined;
  readonly attachmentsRoot?: string | undefined;
}

/** The files of one board. */
export interface BoardPlaces {
  readonly slug: string;
  readonly database: string;
  readonly attachments: string;
  readonly metadata: string;
}

const DEFAULT_BOARD = 'default';
const slugShape = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** Throws `UserError` for a name that no board may have. */
export function boardPlaces(settings: BoardSettings, named: string | undefined): BoardPlaces {
  const slug = boardSlug(named) ?? currentBoard(settings);
  const folder = boardFolder(settings, slug);
  const isDefault = slug === DEFAULT_BOARD;
  return {
    slug,
    database: settings.database ?? join(isDefault ? settings.home : folder, 'kanban.db'),
    attachments: settings.attachmentsRoot ?? join(isDefault ? join(settings.home, 'kanban') : folder, 'attachments'),
    metadata: join(folder, 'board.json'),
  };
}

/** Lower-cased; undefined when nothing is named. Throws `UserError`. */
function boardSlug(named: string | undefined): string | undefined {
  const slug = named?.trim().toLowerCase() ?? '';
  if (slug === '') return undefined;
  if (slugShape.test(slug)) return slug;
  throw new UserError(`There is no board ${JSON.stringify(named?.slice(0, 80))}.`, {
    hint: 'Names of boards are 1–64 letters, digits, - and _, and begin with a letter or digit.',
  });
}

/** Folders whose sub-folders are workspaces of tasks, with the place for attachments of their board. */
export function workspaceRoots(settings: BoardSettings, slugs: readonly string[]): readonly string[] {
  return [
    ...(settings.workspacesRoot === undefined ? [] : [settings.workspacesRoot]),
    join(settings.home, 'kanban', 'workspaces'),
    ...slugs.map((slug) => join(boardFolder(settings, slug), 'workspaces')),
  ];
}

/** Where tasks of the board work when they name no folder; undefined when the board does not say. */
export function defaultWorkFolder({ metadata }: Pick<BoardPlaces, 'metadata'>): string | undefined {
  const text = readText(metadata);
  return text === undefined ? undefined : metadataShape.safeParse(parseJson(text)).data?.default_workdir;
}

const metadataShape = z.object({ default_workdir: z.string().trim().min(1).optional().catch(undefined) });

/** What is set for this process, then what was chosen last. */
function currentBoard(settings: BoardSettings): string {
  const chosen = [settings.board, readText(join(settings.home, 'kanban', 'current'))];
  for (const name of chosen) {
    const slug = name?.trim().toLowerCase() ?? '';
    if (slugShape.test(slug) && isThere(settings, slug)) return slug;
  }
  return DEFAULT_BOARD;
}

function isThere(settings: BoardSettings, slug: string): boolean {
  const folder = boardFolder(settings, slug);
  return slug === DEFAULT_BOARD || ['board.json', 'kanban.db'].some((name) => existsSync(join(folder, name)));
}

function boardFolder({ home }: BoardSettings, slug: string): string {
  return join(home, 'kanban', 'boards', slug);
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Nobody chose a board, or wrote anything about it.
    return undefined;
  }
}
