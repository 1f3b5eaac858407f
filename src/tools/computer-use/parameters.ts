/** What `computer_use` can be asked for. */
import * as z from 'zod';

export const actions = [
  'capture',
  'click',
  'double_click',
  'right_click',
  'middle_click',
  'drag',
  'scroll',
  'type',
  'key',
  'set_value',
  'wait',
  'list_apps',
  'list_windows',
  'focus_app',
] as const;
export type ActionName = (typeof actions)[number];

const modifierNames = ['cmd', 'shift', 'option', 'alt', 'ctrl', 'fn', 'win', 'windows', 'super', 'meta'] as const;

const point = z.array(z.int()).length(2);

export const parameters = z.object({
  action: z.enum(actions),
  mode: z
    .enum(['som', 'vision', 'ax'])
    .optional()
    .describe('capture: som = picture and elements (default), vision = picture, ax = elements'),
  app: z.string().optional().describe('capture, focus_app: name of the app; capture also takes "screen"'),
  pid: z.int().optional().describe('capture: with window_id, instead of app'),
  window_id: z.int().optional(),
  max_elements: z.int().min(1).max(1000).default(100),
  element: z.int().optional().describe('Number in the last capture; better than coordinate'),
  coordinate: point.optional().describe('[x, y] in the last picture'),
  button: z.enum(['left', 'right', 'middle']).optional(),
  modifiers: z.array(z.enum(modifierNames)).optional().describe('Held meanwhile'),
  from_element: z.int().optional(),
  to_element: z.int().optional(),
  from_coordinate: point.optional(),
  to_coordinate: point.optional(),
  direction: z.enum(['up', 'down', 'left', 'right']).optional(),
  amount: z.int().optional().describe('Steps of scroll, default 3'),
  value: z.string().optional().describe('set_value: text, number, or label of the option'),
  text: z.string().max(20_000).optional().describe('type'),
  keys: z.string().max(200).optional().describe('key: such as ctrl+s, return'),
  seconds: z.number().optional().describe('wait: at most 30'),
  raise_window: z.boolean().optional().describe('focus_app: also bring it to the front'),
  delivery_mode: z
    .enum(['background', 'foreground'])
    .optional()
    .describe('foreground raises the window meanwhile: only after background had no effect'),
  bring_to_front: z.boolean().optional().describe('With foreground: the window stays in front'),
  capture_after: z.boolean().optional().describe('Show what it looks like afterwards'),
});

export type Request = z.infer<typeof parameters>;
