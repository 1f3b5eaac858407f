/** What there is against a call of `computer_use`. */
import { escapeForDisplay } from '../../safety/display.ts';
import { type Finding, harmless, type Judgement, unclear } from '../../safety/finding.ts';
import { blockedRequest } from './blocked.ts';
import type { Desktop } from './desktop.ts';
import type { ActionName, Request } from './parameters.ts';

const looking: ReadonlySet<ActionName> = new Set(['capture', 'wait', 'list_apps', 'list_windows']);

/**
 * Looking asks nothing. Whatever acts is asked about, once a session for each kind of act, and again when it takes the screen
 * from the person: somebody may be working there.
 */
export function judgeRequest(request: Request, desktop: Desktop | undefined, platform?: string): Judgement {
  const shown = escapeForDisplay(describeRequest(request, desktop));
  const blocked = blockedRequest(request, platform);
  if (blocked !== undefined) return { shown, findings: [], refused: { reason: blocked.error, message: blocked.error } };
  const { action, raise_window: raises } = request;
  if (looking.has(action) || (action === 'focus_app' && raises !== true)) return harmless;
  return { shown, findings: [acting(action, takesScreen(request, desktop))] };
}

function acting(action: ActionName, takes: boolean): Finding {
  return unclear(`operates your desktop: ${action}${takes ? ' in the foreground' : ''}`);
}

function takesScreen({ action, delivery_mode: mode }: Request, desktop: Desktop | undefined): boolean {
  return mode === 'foreground' || action === 'focus_app' || desktop?.target?.kind === 'screen';
}

/** One act in words, with what it goes to as far as that is known. */
function describeRequest(request: Request, desktop: Desktop | undefined): string {
  const what = actIn(request, desktop);
  const { app = '', title = '' } = request.action === 'focus_app' ? {} : (desktop?.target ?? {});
  const where = app === '' ? '' : ` in ${oneLine(app)}${title === '' ? '' : ` "${oneLine(title)}"`}`;
  const how = takesScreen(request, desktop)
    ? ' [foreground: takes the screen from you, and changes what has the focus]'
    : '';
  return `${what}${where}${how}`;
}

function actIn(request: Request, desktop: Desktop | undefined): string {
  const { action, modifiers = [], direction = 'down', amount = 3 } = request;
  const held = modifiers.length === 0 ? '' : `${modifiers.join('+')}+`;
  const spot = (element: number | undefined, point: readonly number[] | undefined): string => {
    if (element !== undefined) return ` ${named(element, desktop)}`;
    return point === undefined ? '' : ` at ${point.join(', ')}`;
  };
  const at = spot(request.element, request.coordinate);
  switch (action) {
    case 'drag':
      return `${held}drag${spot(request.from_element, request.from_coordinate)} to${spot(request.to_element, request.to_coordinate)}`;
    case 'scroll':
      return `${held}scroll ${direction} ${amount}${at}`;
    case 'type':
      return `type${at}: ${request.text ?? ''}`;
    case 'key':
      return `key ${held}${request.keys ?? ''}${at}`;
    case 'set_value':
      return `set${at} to: ${request.value ?? ''}`;
    case 'focus_app':
      return `bring ${request.app ?? ''} to the front`;
    default:
      return `${held}${action}${request.button === undefined ? '' : ` (${request.button})`}${at}`;
  }
}

function named(index: number, desktop: Desktop | undefined): string {
  const element = desktop?.element(index);
  if (element === undefined) return `element #${index}`;
  return `#${index} ${oneLine(element.role)} "${oneLine(element.label)}"`;
}

/** Apps and pages choose these words. */
function oneLine(text: string): string {
  return escapeForDisplay(text.slice(0, 80), { singleLine: true });
}
