/** What the model gets of the desktop, what it may do there, and what the driver is asked for it. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { headless } from '../../../src/agent/human.ts';
import { isJsonObject, type JsonObject } from '../../../src/lib/json.ts';
import { textOf } from '../../../src/llm/message.ts';
import { computerUseTool } from '../../../src/tools/computer-use/computer-use.ts';
import { fakeDriver } from '../../fakes/cua-driver.ts';
import { person } from '../support.ts';
import { seeing, usingComputer, wordsIn } from './support.ts';

const yolo = { policy: { yolo: () => true } };

test('a model that sees is shown the window with its elements, in the size that coordinates are of', async (t) => {
  const driver = fakeDriver(t);
  const { outcomeOf } = usingComputer(t, driver, { vision: seeing });
  assert.ok(!existsSync(join(driver.folder, 'environment.json')), 'nothing is started before the first call');
  const { content, sources } = await outcomeOf({ action: 'capture', app: 'zenity' });
  assert.equal(
    textOf(content).replaceAll(/\n?\[.*image.*\]/gi, ''),
    [
      'capture mode=som 194x119 app=Zenity window="Ask me"',
      '3 interactable element(s):',
      '  #0 text "What is your name?" @ 13,36,168,34',
      '  #1 push button "Cancel" @ 11,78,86,34',
      '  #2 push button "OK" @ 101,78,86,34',
    ].join('\n'),
  );
  assert.ok(Array.isArray(content) && content.some(({ type }) => type === 'image_url'));
  assert.deepEqual(sources, [{ from: 'program', name: 'Zenity' }], 'titles and labels are not our words');
  assert.equal(computerUseTool.traits.quotesOthers, true);
  const [, [, asked]] = driver.calls() as [unknown, [string, JsonObject]];
  assert.deepEqual([asked['pid'], asked['window_id'], asked['max_image_dimension']], [20, 200, 1456]);
});

test('the driver gets neither keys of ours nor leave to send reports, and finds its desktop', async (t) => {
  const driver = fakeDriver(t);
  const { call } = usingComputer(t, driver);
  await call({ action: 'list_windows' });
  const seen: unknown = JSON.parse(readFileSync(join(driver.folder, 'environment.json'), 'utf8'));
  assert.ok(isJsonObject(seen));
  assert.deepEqual(
    [seen['DISPLAY'], seen['CUA_DRIVER_RS_TELEMETRY_ENABLED'], seen['OPENAI_API_KEY']],
    [':7', '0', undefined],
  );
});

test('a model that does not see gets elements as data, with the words of one that does', async (t) => {
  const asked: string[] = [];
  const vision = {
    ...seeing,
    isNative: false,
    canDescribe: true,
    describe: (_: unknown, question: string) => (asked.push(question), Promise.resolve('A small form.')),
  };
  const { call } = usingComputer(t, fakeDriver(t), { vision });
  const told = await call({ action: 'capture', app: 'Zenity', max_elements: 2 });
  const { elements, summary, ...rest } = told;
  assert.deepEqual(rest, {
    mode: 'som',
    width: 194,
    height: 119,
    app: 'Zenity',
    window_title: 'Ask me',
    total_elements: 3,
    truncated_elements: 1,
    vision_analysis: 'A small form.',
    vision_analysis_routed_via: 'auxiliary.vision',
  });
  assert.deepEqual((elements as JsonObject[])[1], {
    index: 1,
    role: 'push button',
    label: 'Cancel',
    bounds: [11, 78, 86, 34],
  });
  assert.match(wordsIn({ summary: summary ?? '' }, 'summary'), /1 more elements are not listed/);
  assert.match(asked[0] ?? '', /#1 push button "Cancel"/);
});

test('where nobody can look at pictures the elements are still told', async (t) => {
  const { call } = usingComputer(t, fakeDriver(t));
  const told = await call({ action: 'capture' });
  assert.deepEqual(
    [told['app'], told['vision_unavailable'], told['total_elements']],
    ['Zenity', true, 3],
    'the frontmost window',
  );
  const plain = await call({ action: 'capture', mode: 'ax', pid: 20, window_id: 200 });
  assert.deepEqual([plain['vision_unavailable'], plain['width']], [undefined, 194]);
});

test('an act is asked about once a session for its kind, and anew when it takes the screen', async (t) => {
  const driver = fakeDriver(t);
  const human = person('session');
  const { call } = usingComputer(t, driver, { human });
  await call({ action: 'capture', app: 'Zenity' });
  await call({ action: 'focus_app', app: 'Zenity' });
  await call({ action: 'list_apps' });
  await call({ action: 'wait', seconds: 0 });
  assert.equal(human.asked.length, 0, 'looking asks nothing');
  await call({ action: 'capture', app: 'Zenity' });
  await call({ action: 'click', element: 2 });
  await call({ action: 'click', element: 1 });
  await call({ action: 'click', element: 1, delivery_mode: 'foreground', bring_to_front: true });
  await call({ action: 'type', text: 'Ann' });
  assert.deepEqual(
    human.asked.map(({ reasons, command }) => [reasons.join(), command]),
    [
      ['operates your desktop: click', 'click #2 push button "OK" in Zenity "Ask me"'],
      [
        'operates your desktop: click in the foreground',
        'click #1 push button "Cancel" in Zenity "Ask me" [foreground: takes the screen from you, and changes what has the focus]',
      ],
      ['operates your desktop: type', 'type: Ann in Zenity "Ask me"'],
    ],
  );
  assert.ok(
    human.asked.every(({ mayRemember }) => !mayRemember),
    'no answer is kept for good',
  );
});

test('who says no is obeyed, where nobody can be asked nothing is done, and without questions it is', async (t) => {
  const driver = fakeDriver(t);
  const { hint, ...denied } = await usingComputer(t, driver, { human: person('deny') }).call({
    action: 'key',
    keys: 'return',
  });
  assert.deepEqual(denied, { error: 'denied by user', action: 'key' });
  assert.match(wordsIn({ hint: hint ?? '' }, 'hint'), /Do not retry/);
  const alone = await usingComputer(t, driver, { human: headless }).call({ action: 'key', keys: 'return' });
  assert.match(wordsIn(alone, 'error'), /nobody can be asked/);
  assert.deepEqual(driver.calls(), []);
  const free = usingComputer(t, driver, { human: headless, ...yolo });
  await free.call({ action: 'capture', app: 'Zenity' });
  assert.equal((await free.call({ action: 'key', keys: 'return' }))['ok'], true);
});

test('some keys are never pressed and some texts never typed, even with YOLO', async (t) => {
  const driver = fakeDriver(t);
  const { call } = usingComputer(t, driver, yolo);
  await call({ action: 'capture', app: 'XTerm' });
  const before = driver.calls().length;
  const never: readonly [JsonObject, RegExp][] = [
    [{ action: 'type', text: 'curl x | bash' }, /piped into a shell/],
    [{ action: 'key', keys: 'alt+f4' }, /option\+f4/],
    [{ action: 'key', keys: 'f4', modifiers: ['alt'] }, /option\+f4/],
    [{ action: 'set_value', element: 0, value: 'sudo rm -rf /home' }, /sudo rm/],
  ];
  for (const [args, why] of never) {
    const refused = await call(args);
    assert.deepEqual(Object.keys(refused), ['error', 'hint'], JSON.stringify(args));
    assert.match(wordsIn(refused, 'error'), why);
  }
  assert.equal(driver.calls().length, before, 'the driver never hears of them');
});

test('each act becomes the call of the driver that means it', async (t) => {
  const driver = fakeDriver(t);
  const { call } = usingComputer(t, driver, yolo);
  await call({ action: 'capture', app: 'Zenity' });
  const zenity = { pid: 20, window_id: 200 };
  for (const [args, ...expected] of [
    [{ action: 'click', element: 2 }, ['click', { ...zenity, button: 'left', element_token: 's00000001:2' }]],
    [
      { action: 'double_click', coordinate: [5, 6], modifiers: ['windows', 'option'] },
      ['click', { ...zenity, button: 'left', count: 2, x: 5, y: 6, modifier: ['super', 'alt'] }],
    ],
    [{ action: 'right_click', element: 1 }, ['click', { ...zenity, button: 'right', element_token: 's00000001:1' }]],
    [{ action: 'middle_click', coordinate: [1, 2] }, ['click', { ...zenity, button: 'middle', x: 1, y: 2 }]],
    [
      { action: 'drag', from_element: 1, to_element: 2 },
      ['drag', { ...zenity, button: 'left', from_x: 54, from_y: 95, to_x: 144, to_y: 95 }],
    ],
    [{ action: 'scroll', amount: 99 }, ['scroll', { ...zenity, direction: 'down', amount: 50 }]],
    [{ action: 'type', text: 'Ann' }, ['type_text', { ...zenity, text: 'Ann' }]],
    [{ action: 'key', keys: 'Return' }, ['press_key', { ...zenity, key: 'return' }]],
    [{ action: 'key', keys: 'Ctrl+Shift+T' }, ['hotkey', { ...zenity, keys: ['ctrl', 'shift', 't'] }]],
    [
      { action: 'set_value', element: 0, value: '7' },
      ['set_value', { ...zenity, value: '7', element_token: 's00000001:0' }],
    ],
    [
      { action: 'type', text: 'x', delivery_mode: 'foreground', bring_to_front: true },
      ['bring_to_front', zenity],
      ['type_text', { ...zenity, text: 'x', delivery_mode: 'foreground' }],
    ],
  ] as [JsonObject, ...unknown[]][]) {
    const before = driver.calls().length;
    const told = await call(args);
    assert.deepEqual(
      [told['ok'], told['action'], told['effect']],
      [true, args['action'], 'unverifiable'],
      JSON.stringify(told),
    );
    assert.equal(told['path'], 'synthetic_events');
    assert.deepEqual(driver.calls().slice(before), expected);
  }
});

test('what is done on the whole screen is done in its coordinates', async (t) => {
  const driver = fakeDriver(t);
  const { call } = usingComputer(t, driver, yolo);
  assert.equal((await call({ action: 'capture', app: 'desktop' }))['app'], 'the whole screen');
  await call({ action: 'click', coordinate: [640, 400] });
  assert.deepEqual(driver.calls().at(-1), ['click', { scope: 'desktop', button: 'left', x: 640, y: 400 }]);
  const set = await call({ action: 'set_value', element: 0, value: 'x' });
  assert.equal(set['code'], 'unknown_element');
});

test('an older driver is asked in its own way, and what it cannot do is said', async (t) => {
  const driver = fakeDriver(t, { age: 'old' });
  const { call, outcomeOf } = usingComputer(t, driver, { ...yolo, vision: seeing });
  const seen = await outcomeOf({ action: 'capture', app: 'Zenity' });
  assert.match(
    textOf(seen.content),
    /window="Ask me"\n2 interactable element\(s\):\n {2}#0 AXTextField "Ann"\n {2}#1 AXButton "OK"/,
  );
  await call({ action: 'double_click', element: 1 });
  assert.deepEqual(driver.calls().at(-1), [
    'double_click',
    { pid: 20, window_id: 200, button: 'left', element_index: 1 },
  ]);
  await call({ action: 'scroll', coordinate: [1, 2] });
  assert.deepEqual(driver.calls().at(-1), ['scroll', { pid: 20, window_id: 200, direction: 'down', amount: 3 }]);
  const front = await call({ action: 'click', element: 1, delivery_mode: 'foreground' });
  assert.deepEqual(
    [front['ok'], front['code'], front['delivery_mode']],
    [false, 'foreground_unsupported', 'foreground'],
  );
  await outcomeOf({ action: 'capture', app: 'Zenity', mode: 'vision' });
  assert.equal(driver.calls().at(-1)?.[0], 'screenshot');
  assert.match(wordsIn(await call({ action: 'capture', app: 'screen' }), 'error'), /Name an app/);
});

test('an app is found by what it calls itself and by what the system calls it, and nothing by a part of another name', async (t) => {
  const driver = fakeDriver(t);
  const { call } = usingComputer(t, driver, yolo);
  for (const app of ['XTERM', 'xte']) assert.equal((await call({ action: 'capture', app }))['app'], 'XTerm');
  for (const app of ['org.gnome.zenity', 'question box'])
    assert.equal((await call({ action: 'capture', app }))['app'], 'Zenity');
  const missed = await call({ action: 'capture', app: 'Calculator' });
  assert.match(wordsIn(missed, 'error'), /^capture failed: No window on the screen is of 'Calculator'/);
  const lost = await call({ action: 'click', coordinate: [1, 1] });
  assert.deepEqual([lost['ok'], lost['code']], [false, 'no_target'], 'input goes nowhere after a look that failed');
});

test('what an act led to is shown with it when that was asked for, and not when it failed', async (t) => {
  const driver = fakeDriver(t);
  const { call } = usingComputer(t, driver, yolo);
  await call({ action: 'capture', app: 'Zenity' });
  const both = await call({ action: 'click', element: 2, capture_after: true });
  assert.deepEqual([both['ok'], both['action'], both['window_title']], [true, 'click', 'Ask me']);
  const failed = {
    content: [{ type: 'text', text: 'no' }],
    structuredContent: { code: 'background_unavailable', escalation: { recommended: 'foreground' } },
    isError: true,
  };
  driver.change({ tools: { click: failed } });
  const next = usingComputer(t, driver, yolo);
  await next.call({ action: 'capture', app: 'Zenity' });
  assert.deepEqual(await next.call({ action: 'click', element: 2, capture_after: true, delivery_mode: 'background' }), {
    ok: false,
    action: 'click',
    message: 'no',
    escalation: { recommended: 'foreground' },
    delivery_mode: 'background',
    code: 'background_unavailable',
  });
});

test('a driver that dies fails its call, and the next one finds another', async (t) => {
  const driver = fakeDriver(t, { dies: 'list_apps' });
  const { call } = usingComputer(t, driver, yolo);
  const died = await call({ action: 'list_apps' });
  assert.match(wordsIn(died, 'error'), /^list_apps failed: cua-driver did not answer list_apps/);
  assert.match(wordsIn(died, 'hint'), /computer-use doctor/);
  assert.equal((await call({ action: 'list_windows' }))['count'], 2, 'windows without an owner are left out');
});

test('what is missing in a call is said without asking the driver', async (t) => {
  const driver = fakeDriver(t);
  const { call } = usingComputer(t, driver, yolo);
  for (const [args, why] of [
    [{ action: 'click' }, /needs an element or a coordinate/],
    [{ action: 'drag', from_element: 1 }, /drag needs/],
    [{ action: 'type' }, /needs text/],
    [{ action: 'key' }, /needs keys/],
    [{ action: 'set_value', element: 1 }, /needs value/],
    [{ action: 'focus_app' }, /needs app/],
    [{ action: 'capture', pid: 20 }, /pid and window_id together/],
  ] as const) {
    assert.match(wordsIn(await call({ ...args }), 'error'), why);
  }
  assert.deepEqual(driver.calls(), []);
});
