/** Which tool of the driver an input is, with which arguments: drivers of different ages take different ones. */
import type { Delivery, Done, Input, Spot } from './desktop.ts';
import type { Abilities } from './driver.ts';
import type { Element } from './elements.ts';
import { keyOn, plainModifier } from './keys.ts';

export interface WindowTarget {
  readonly kind: 'window';
  readonly pid: number;
  readonly windowId: number;
}

/** The whole screen: what has the focus there gets keys. */
export type Target = WindowTarget | { readonly kind: 'screen' };

export interface DriverCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

interface Surroundings {
  readonly target: Target;
  readonly abilities: Abilities;
  readonly platform: string;
  readonly element: (index: number) => Element | undefined;
}

/** The call, or why the driver cannot be asked for it. */
export function callOf(input: Input, delivery: Delivery, around: Surroundings): DriverCall | Done {
  const call = plainCall(input, around);
  if ('ok' in call) return call;
  const { tool, args } = call;
  const { target, abilities, platform } = around;
  if (!abilities.has(tool)) return refused('unsupported', `This cua-driver has no tool ${tool}.`);
  const where = whereOf(target, tool, abilities);
  if ('ok' in where) return where;
  const held = input.kind === 'key' ? [] : delivery.modifiers.map((key) => keyOn(platform, key));
  const holds = abilities.has(tool, 'modifier') ? 'modifier' : 'modifiers';
  if (held.length > 0 && !abilities.has(tool, holds)) {
    return refused('modifiers_unsupported', `This cua-driver holds no keys during ${input.kind}.`);
  }
  if (delivery.mode === 'foreground' && !abilities.has(tool, 'delivery_mode')) {
    const message = `This cua-driver delivers ${input.kind} in the background alone: hermes computer-use install --upgrade`;
    return { ...refused('foreground_unsupported', message), delivery_mode: 'foreground' };
  }
  return {
    tool,
    args: {
      ...where.args,
      ...args,
      ...(held.length === 0 ? {} : { [holds]: held }),
      // The background is what every driver does by itself.
      ...(delivery.mode === 'foreground' ? { delivery_mode: 'foreground' } : {}),
    },
  };
}

/** To be called first where the window is to stay in front. */
export function raiseOf(
  { mode, staysInFront }: Delivery,
  target: Target,
  abilities: Abilities,
): DriverCall | undefined {
  if (mode !== 'foreground' || !staysInFront || target.kind === 'screen') return undefined;
  return raiseCall(target, abilities);
}

export function raiseCall({ pid, windowId }: WindowTarget, abilities: Abilities): DriverCall | undefined {
  const tool = 'bring_to_front';
  return abilities.has(tool) ? { tool, args: { pid, window_id: windowId } } : undefined;
}

export function refused(code: string, message: string): Done {
  return { ok: false, code, message };
}

function plainCall(input: Input, around: Surroundings): DriverCall | Done {
  switch (input.kind) {
    case 'click':
      return click(input, around);
    case 'drag':
      return drag(input, around);
    case 'scroll': {
      const { direction, amount } = input;
      return withSpot('scroll', input.at, { direction, amount: Math.max(1, Math.min(50, amount)) }, around);
    }
    case 'type':
      return withSpot('type_text', input.at, { text: input.text }, around);
    case 'key':
      return key(input, around);
    case 'set_value':
      return withSpot('set_value', { element: input.element }, { value: input.value }, around);
  }
}

function click({ at, button, count }: Extract<Input, { kind: 'click' }>, around: Surroundings): DriverCall | Done {
  const { abilities } = around;
  if (count === 1) return withSpot('click', at, { button }, around);
  if (abilities.has('click', 'count')) return withSpot('click', at, { button, count }, around);
  if (abilities.has('double_click', 'button')) return withSpot('double_click', at, { button }, around);
  if (button === 'left') return withSpot('double_click', at, {}, around);
  return refused('unsupported', `This cua-driver clicks twice with the left button alone.`);
}

function drag({ from, to, button }: Extract<Input, { kind: 'drag' }>, around: Surroundings): DriverCall | Done {
  const [begin, end] = [from, to].map((spot) => pointOf(spot, around));
  if (begin === undefined || end === undefined) {
    return refused('no_place', 'Nobody knows where the element is: give coordinates of the last picture.');
  }
  const pressed = around.abilities.has('drag', 'button') ? { button } : undefined;
  if (pressed === undefined && button !== 'left')
    return refused('unsupported', 'This cua-driver drags with the left button alone.');
  return { tool: 'drag', args: { from_x: begin.x, from_y: begin.y, to_x: end.x, to_y: end.y, ...pressed } };
}

function key({ keys, at }: Extract<Input, { kind: 'key' }>, around: Surroundings): DriverCall | Done {
  const named = keys.map((written) => keyOn(around.platform, written));
  const modifiers = named.filter((name) => plainModifier(name) !== undefined);
  const others = named.filter((name) => plainModifier(name) === undefined);
  const [only] = others;
  if (only === undefined) return refused('bad_keys', 'The combination has no key besides modifiers.');
  if (modifiers.length === 0 && others.length === 1) return withSpot('press_key', at, { key: only }, around);
  return withSpot('hotkey', at, { keys: [...modifiers, ...others] }, around);
}

/** The call with what says where in the window: an element by its token, by its number with older drivers, or a point. */
function withSpot(
  tool: string,
  spot: Spot | undefined,
  args: DriverCall['args'],
  { abilities, element }: Surroundings,
): DriverCall | Done {
  if (spot === undefined) return { tool, args };
  if ('x' in spot) {
    // Older ones scroll a window, and no place in it.
    const takesPoints = abilities.has(tool, 'x');
    if (!takesPoints && tool !== 'scroll')
      return refused('unsupported', `This cua-driver takes no coordinate for ${tool}.`);
    return { tool, args: { ...args, ...(takesPoints ? { x: spot.x, y: spot.y } : {}) } };
  }
  const found = element(spot.element);
  if (found === undefined) {
    return refused('unknown_element', `There is no element ${spot.element} in the last capture: capture again.`);
  }
  if (found.token !== undefined && abilities.has(tool, 'element_token')) {
    return { tool, args: { ...args, element_token: found.token } };
  }
  if (abilities.has(tool, 'element_index')) return { tool, args: { ...args, element_index: found.index } };
  return refused('unsupported', `This cua-driver finds no element for ${tool}: give a coordinate.`);
}

function pointOf(spot: Spot, { element }: Surroundings): { readonly x: number; readonly y: number } | undefined {
  if ('x' in spot) return spot;
  const found = element(spot.element);
  if (found?.bounds === undefined || !found.isInPicture) return undefined;
  const [x, y, width, height] = found.bounds;
  return { x: Math.round(x + width / 2), y: Math.round(y + height / 2) };
}

function whereOf(target: Target, tool: string, abilities: Abilities): { readonly args: DriverCall['args'] } | Done {
  if (target.kind === 'window') {
    const takesWindow = abilities.has(tool, 'window_id');
    return { args: { pid: target.pid, ...(takesWindow ? { window_id: target.windowId } : {}) } };
  }
  if (abilities.has(tool, 'scope')) return { args: { scope: 'desktop' } };
  return refused('unsupported', `${tool} needs a window: capture the app instead of the whole screen.`);
}
