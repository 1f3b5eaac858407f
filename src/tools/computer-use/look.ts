/** Looks at a window or the whole screen through the driver. */
import { pictureType } from '../../pictures/kind.ts';
import { plainPicture } from '../../pictures/plain-picture.ts';
import type { Capture, CaptureRequest } from './desktop.ts';
import type { Abilities } from './driver.ts';
import { elementsIn } from './elements.ts';
import type { DriverCall, WindowTarget } from './input-call.ts';
import { type DriverAnswer, textIn } from './read-answer.ts';

/** Of the longer side. Coordinates are those of the picture, so the driver makes it smaller, not we. */
const maxSide = 1456;
/** How long the driver may read a window's elements, milliseconds: its own second is short for a large one. */
const walkMs = 5000;
/** What is read beyond what is shown, so that the numbers of all that is near are known. */
const minRead = 250;

interface Ports {
  readonly abilities: Abilities;
  readonly ask: (tool: string, args: DriverCall['args']) => Promise<DriverAnswer>;
}

type Wishes = Pick<CaptureRequest, 'mode' | 'maxElements'>;

export async function lookAtWindow(
  { pid, windowId }: WindowTarget,
  { mode, maxElements }: Wishes,
  { abilities, ask }: Ports,
): Promise<Capture> {
  // Older drivers take pictures with a tool of their own, which spares them the elements.
  if (mode === 'vision' && abilities.has('screenshot')) {
    return captureOf(mode, await ask('screenshot', { window_id: windowId, format: 'jpeg', quality: 85 }));
  }
  const wishes: Record<string, unknown> = {
    tree_format: 'elements',
    max_elements: Math.max(minRead, maxElements),
    max_image_dimension: maxSide,
    timeout_ms: walkMs,
    ...(mode === 'ax' ? { include_screenshot: false } : {}),
    ...(mode === 'vision' ? { include_accessibility_tree: false } : {}),
  };
  const taken = Object.entries(wishes).filter(([name]) => abilities.has('get_window_state', name));
  const args = { pid, window_id: windowId, ...Object.fromEntries(taken) };
  return captureOf(mode, await ask('get_window_state', args));
}

/** A screen has no elements: its windows have. */
export async function lookAtScreen({ mode }: Wishes, { abilities, ask }: Ports): Promise<Capture> {
  const takesSize = abilities.has('get_desktop_state', 'max_image_dimension');
  const answer = await ask('get_desktop_state', takesSize ? { max_image_dimension: maxSide } : {});
  return { ...captureOf(mode === 'ax' ? 'vision' : mode, answer), app: 'the whole screen', elements: [] };
}

function captureOf(mode: Capture['mode'], answer: DriverAnswer): Capture {
  const { facts } = answer;
  const picture = mode === 'ax' ? undefined : answer.picture;
  const size = picture === undefined ? undefined : sizeOf(picture);
  const bounds = facts['window_bounds'];
  const [width, height] = size ?? [numberIn(bounds, 'width') ?? 0, numberIn(bounds, 'height') ?? 0];
  return {
    mode,
    app: textIn(facts, 'app_name') ?? '',
    title:
      textIn(facts, 'window_title') ??
      /(?:AXWindow|dialog|frame|window)\s*(?:=\s*)?"([^"]+)"/.exec(answer.text)?.[1] ??
      '',
    elements: mode === 'vision' ? [] : elementsIn(answer),
    picture,
    width,
    height,
    note: noteOf(answer),
  };
}

function sizeOf(picture: Buffer): readonly [number, number] | undefined {
  const type = pictureType(picture);
  const plain = type === undefined ? undefined : plainPicture(picture, type);
  return plain === undefined ? undefined : [plain.width, plain.height];
}

/** Why elements may be missing. */
function noteOf({ facts }: DriverAnswer): string | undefined {
  if (facts['truncated'] === true) return 'The driver read only the first elements of the window.';
  const reason = facts['degraded'] === true ? textIn(facts, 'degraded_reason') : undefined;
  return reason?.slice(0, 300);
}

function numberIn(value: unknown, name: string): number | undefined {
  if (typeof value !== 'object' || value === null || !(name in value)) return undefined;
  const found: unknown = Reflect.get(value, name);
  return typeof found === 'number' && Number.isFinite(found) ? found : undefined;
}
