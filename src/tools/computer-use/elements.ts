/** What of a window can be used, as the driver's accessibility tree names it. */
import * as z from 'zod';
import { type DriverAnswer, textIn } from './read-answer.ts';

export interface Element {
  /** By which it is named until the next capture. */
  readonly index: number;
  readonly role: string;
  readonly label: string;
  /** Left, top, width and height in the picture; on the screen where there is none; undefined: nobody knows. */
  readonly bounds: readonly [number, number, number, number] | undefined;
  /** Bounds are those in the picture. */
  readonly isInPicture: boolean;
  /** The driver's own name of it, which goes stale with the next look. */
  readonly token: string | undefined;
}

const frame = z.looseObject({ x: z.number(), y: z.number(), w: z.number(), h: z.number() });
const maxChars = 200;

const row = z.looseObject({
  element_index: z.int().nonnegative(),
  role: z.string().catch(''),
  label: z.string().catch(''),
  value: z.string().optional().catch(undefined),
  frame: frame.optional().catch(undefined),
  screenshot_frame: frame.optional().catch(undefined),
  element_token: z.string().min(1).optional().catch(undefined),
});

/** More are not kept of one window. */
const maxElements = 5000;

export function elementsIn(answer: DriverAnswer): readonly Element[] {
  const listed = answer.facts['elements'];
  if (!Array.isArray(listed)) return elementsInText(answer);
  return listed.slice(0, maxElements).flatMap((item: unknown) => {
    const read = row.safeParse(item);
    return read.success ? [elementOf(read.data)] : [];
  });
}

function elementOf({ element_index, role, label, value, element_token, ...frames }: z.infer<typeof row>): Element {
  const place = frames.screenshot_frame ?? frames.frame;
  return {
    index: element_index,
    role: short(role),
    label: short(label === '' ? (value ?? '') : label),
    bounds: place === undefined ? undefined : [place.x, place.y, place.w, place.h],
    isInPicture: frames.screenshot_frame !== undefined,
    token: element_token,
  };
}

/** One line of the tree as text: `[3] push button "OK"`, `[4] AXButton (OK)`, `[5] AXStaticText = "7"`, `[6] AXCell id=x`. */
const line = /^\s*(?:-\s+)?\[(?<index>\d+)\]\s+(?<role>[\w ]*\w)(?<rest>.*)$/gm;
const labelled = /^\s*(?:=\s*)?"(?<quoted>[^"]*)"|^\s*\((?!\d+\))(?<round>[^)]*)\)|\bid=(?<id>[^\s[\]]+)/;

/** For drivers that list no elements, and for reads that came as text. */
function elementsInText(answer: DriverAnswer): readonly Element[] {
  const tree = textIn(answer.facts, 'tree_markdown') ?? answer.text;
  const snapshot = textIn(answer.facts, 'snapshot_id');
  return [...tree.matchAll(line)].slice(0, maxElements).map(({ groups = {} }) => {
    const { index = '0', role = '', rest = '' } = groups;
    const { quoted, round, id } = labelled.exec(rest)?.groups ?? {};
    return {
      index: Number(index),
      role: short(role),
      label: short(quoted ?? round ?? id ?? ''),
      bounds: undefined,
      isInPicture: false,
      token: snapshot === undefined ? undefined : `${snapshot}:${index}`,
    };
  });
}

function short(text: string): string {
  return text.slice(0, maxChars).toWellFormed();
}
