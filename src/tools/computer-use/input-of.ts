/** The input that a call asks for. */
import type { Delivery, Input, Spot } from './desktop.ts';
import { keysOf } from './keys.ts';
import type { Request } from './parameters.ts';

/** What is missing is said as text. */
export function inputOf(request: Request): Input | string {
  const at = spotOf(request.element, request.coordinate);
  const { button = 'left' } = request;
  switch (request.action) {
    case 'click':
      return at === undefined ? noSpot(request) : { kind: 'click', at, button, count: 1 };
    case 'double_click':
      return at === undefined ? noSpot(request) : { kind: 'click', at, button, count: 2 };
    case 'right_click':
      return at === undefined ? noSpot(request) : { kind: 'click', at, button: 'right', count: 1 };
    case 'middle_click':
      return at === undefined ? noSpot(request) : { kind: 'click', at, button: 'middle', count: 1 };
    case 'drag':
      return dragOf(request);
    case 'scroll':
      return { kind: 'scroll', at, direction: request.direction ?? 'down', amount: request.amount ?? 3 };
    case 'type':
      return filled(request.text) ? { kind: 'type', text: request.text, at } : 'type needs text.';
    case 'key': {
      const keys = [...(request.modifiers ?? []), ...keysOf(request.keys ?? '')];
      return filled(request.keys) ? { kind: 'key', keys, at } : 'key needs keys, such as ctrl+s.';
    }
    case 'set_value':
      if (request.value === undefined) return 'set_value needs value.';
      if (request.element === undefined) return 'set_value needs the element.';
      return { kind: 'set_value', value: request.value, element: request.element };
    default:
      return `${request.action} is no input.`;
  }
}

export function deliveryOf({ delivery_mode, bring_to_front, modifiers = [] }: Request): Delivery {
  return { mode: delivery_mode, staysInFront: bring_to_front === true, modifiers };
}

function dragOf(request: Request): Input | string {
  const { button = 'left' } = request;
  const from = spotOf(request.from_element, request.from_coordinate);
  const to = spotOf(request.to_element, request.to_coordinate);
  if (from !== undefined && to !== undefined) return { kind: 'drag', from, to, button };
  return 'drag needs from_element and to_element, or from_coordinate and to_coordinate.';
}

/** An element goes before a point: it is where it is now, and not where it was. */
function spotOf(element: number | undefined, [x, y]: readonly number[] = []): Spot | undefined {
  if (element !== undefined) return { element };
  return x === undefined || y === undefined ? undefined : { x, y };
}

function filled(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}

function noSpot({ action }: Request): string {
  return `${action} needs an element or a coordinate of the last capture.`;
}
