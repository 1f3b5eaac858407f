/**
 * Speaks like cua-driver 0.37: its commands, and its tool server over stdio with the tools, arguments and answers of the
 * real one. What it is asked is written into `calls.jsonl` of the folder that `CUA_DRIVER_RS_HOME` names, a line each;
 * `answers.json` there holds other answers than the usual ones, by tool, and `age` of it makes an older driver.
 */
import { appendFileSync, chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { makePng } from './pictures.ts';

type Json = Record<string, unknown>;

const names = {
  /** As 0.37 lists them, as far as they are of use here. */
  new: {
    list_apps: 'session',
    list_windows: 'app on_screen_only pid session',
    get_window_state:
      'include_accessibility_tree include_screenshot max_elements max_image_dimension pid session timeout_ms tree_format window_id',
    get_desktop_state: 'max_image_dimension session',
    bring_to_front: 'pid session window_id',
    click: 'button count delivery_mode element_token modifier pid scope session window_id x y',
    double_click: 'delivery_mode element_token pid session window_id x y',
    drag: 'button delivery_mode from_x from_y modifier pid scope session to_x to_y window_id',
    type_text: 'delivery_mode element_token pid scope session text window_id x y',
    press_key: 'delivery_mode element_token key modifiers pid scope session window_id x y',
    hotkey: 'delivery_mode element_token keys pid scope session window_id x y',
    set_value: 'delivery_mode element_token pid session value window_id',
    scroll: 'amount delivery_mode direction element_token pid scope session window_id x y',
    health_report: 'include session skip',
  },
  /** As those of 0.7, which the original was written for. */
  old: {
    list_apps: 'session',
    list_windows: 'on_screen_only session',
    screenshot: 'window_id format quality session',
    get_window_state: 'pid window_id session',
    click: 'pid window_id element_index x y button modifier session',
    double_click: 'pid window_id element_index x y button modifier session',
    type_text: 'pid window_id text session',
    press_key: 'pid window_id key session',
    hotkey: 'pid window_id keys session',
    scroll: 'pid window_id direction amount element_index session',
    set_value: 'pid window_id element_index value session',
    health_report: 'include skip',
  },
} as const;

const windows = [
  { app_name: 'XTerm', is_on_screen: true, pid: 10, title: 'My Term', window_id: 100, z_index: 0 },
  { app_name: 'Zenity', is_on_screen: true, pid: 20, title: 'Ask me', window_id: 200, z_index: 1 },
  // The root of X11 belongs to nobody.
  { app_name: '', is_on_screen: true, pid: null, title: 'root', window_id: 1, z_index: 9 },
];
const picture = makePng(194, 119).toString('base64');
const elements = [
  element(0, 'text', 'What is your name?', { x: 13, y: 36, w: 168, h: 34 }),
  element(1, 'push button', 'Cancel', { x: 11, y: 78, w: 86, h: 34 }),
  element(2, 'push button', 'OK', { x: 101, y: 78, w: 86, h: 34 }),
];

function element(index: number, role: string, label: string, frame: object): Json {
  return { element_index: index, element_token: `s00000001:${index}`, role, label, screenshot_frame: frame };
}

const done = (summary: string): Json => ({
  content: [{ type: 'text', text: summary }],
  structuredContent: {
    delivery: { mode: 'background' },
    effect: 'unverifiable',
    hint: 'Read what changed.',
    next_call: { tool: 'get_window_state' },
    route: 'synthetic_events',
    summary,
  },
});

const image = { type: 'image', data: picture, mimeType: 'image/png' };

function windowState({ pid, window_id: id, include_screenshot: shows, include_accessibility_tree: lists }: Json): Json {
  const window = windows.find((one) => one.pid === pid && one.window_id === id);
  if (window === undefined) {
    return {
      content: [{ type: 'text', text: 'the window is stale' }],
      structuredContent: { code: 'stale' },
      isError: true,
    };
  }
  const facts = { app_name: window.app_name, window_title: window.title, window_bounds: { width: 194, height: 119 } };
  return {
    content: [{ type: 'text', text: 'elements=3' }, ...(shows === false ? [] : [image])],
    structuredContent: { ...facts, ...(lists === false ? {} : { elements }) },
  };
}

/** Before there were elements as data. */
const oldState = {
  content: [
    {
      type: 'text',
      text: '✅ Zenity - 2 elements\n- AXWindow "Ask me"\n  - [0] AXTextField = "Ann"\n  - [1] AXButton (OK)',
    },
    image,
  ],
};

function answerTo(tool: string, args: Json, isOld: boolean): Json {
  switch (tool) {
    case 'list_windows':
      return { content: [{ type: 'text', text: 'Found 3 windows' }], structuredContent: { windows } };
    case 'list_apps':
      return {
        content: [],
        structuredContent: {
          apps: [
            { name: 'kthreadd', pid: 2, running: true, windows: [], bundle_id: null },
            { name: 'Question Box', pid: 20, running: true, windows: [{}], bundle_id: 'org.gnome.Zenity' },
          ],
        },
      };
    case 'get_window_state':
      return isOld ? oldState : windowState(args);
    case 'screenshot':
      return { content: [image] };
    case 'get_desktop_state':
      return { content: [image], structuredContent: { windows } };
    case 'health_report':
      return {
        content: [],
        structuredContent: {
          schema_version: '1',
          platform: 'linux',
          driver_version: '0.37.0',
          overall: 'ok',
          checks: [{ name: 'binary_version', status: 'pass', message: 'cua-driver 0.37.0' }],
        },
      };
    default:
      return done(`did ${tool}`);
  }
}

interface Answers {
  readonly age?: 'old';
  /** Dies when it is asked for this tool. */
  readonly dies?: string;
  readonly tools?: Readonly<Record<string, Json>>;
  /** What `check-update --json` and its like write, by the first word. */
  readonly commands?: Readonly<Record<string, Json>>;
}

function serve(folder: string, answers: Answers): void {
  const isOld = answers.age === 'old';
  const listed: Readonly<Record<string, string>> = isOld ? names.old : names.new;
  const results: Readonly<Record<string, (params: Json) => Json>> = {
    initialize: ({ protocolVersion }) => ({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'cua-driver', version: '0.37.0' },
    }),
    'tools/list': () => ({
      tools: Object.entries(listed).map(([name, args]) => ({
        name,
        description: name,
        inputSchema: { type: 'object', properties: Object.fromEntries(args.split(' ').map((arg) => [arg, {}])) },
      })),
    }),
    'tools/call': ({ name, arguments: args }) => {
      const [tool, given] = [String(name), { ...(args as Json) }];
      appendFileSync(join(folder, 'calls.jsonl'), `${JSON.stringify([tool, given])}\n`);
      if (answers.dies === tool) process.exit(9);
      const unknown = Object.keys(given).filter((arg) => !(listed[tool] ?? '').split(' ').includes(arg));
      if (unknown.length > 0) return { content: [{ type: 'text', text: `unknown: ${unknown.join()}` }], isError: true };
      return answers.tools?.[tool] ?? answerTo(tool, given, isOld);
    },
  };
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params = {} } = JSON.parse(line) as { id?: number; method: string; params?: Json };
    const result = results[method]?.(params);
    if (id === undefined) return;
    const body = result === undefined ? { error: { code: -32601, message: 'no such method' } } : { result };
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`);
  });
}

export interface FakeDriver {
  readonly folder: string;
  /** The program. */
  readonly path: string;
  /** What it needs of an environment, and who it is. */
  readonly env: Readonly<Record<string, string>>;
  /** What its tools were called with, without the session. */
  calls(): readonly (readonly [string, Json])[];
  change(answers: Answers): void;
}

export function fakeDriver(t: TestContext, answers: Answers = {}): FakeDriver {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-test-driver-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'cua-driver');
  writeFileSync(path, `#!/bin/sh\nexec '${process.execPath}' '${fileURLToPath(import.meta.url)}' "$@"\n`);
  chmodSync(path, 0o755);
  const change = (next: Answers): void => writeFileSync(join(folder, 'answers.json'), JSON.stringify(next));
  change(answers);
  return {
    folder,
    path,
    env: { HERMES_CUA_DRIVER_CMD: path, CUA_DRIVER_RS_HOME: folder },
    change,
    calls() {
      const file = join(folder, 'calls.jsonl');
      if (!existsSync(file)) return [];
      const lines = readFileSync(file, 'utf8').trim().split('\n');
      return lines.map((line) => {
        const [tool, { session: _, ...args }] = JSON.parse(line) as [string, Json];
        return [tool, args] as const;
      });
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.env['CUA_DRIVER_RS_HOME'] ?? '.';
  const file = join(folder, 'answers.json');
  const answers = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Answers) : {};
  const [command = ''] = process.argv.slice(2);
  writeFileSync(join(folder, 'environment.json'), JSON.stringify({ ...process.env, pid: process.pid }));
  if (command === 'mcp') serve(folder, answers);
  else if (command === '--version') process.stdout.write('cua-driver 0.37.0\n');
  else process.stdout.write(JSON.stringify(answers.commands?.[command] ?? {}));
}
