/** `clarify`: what is asked of the person, and what the model reads of the answer. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { type ClarifyAnswer, headless, type Human } from '../../../src/agent/human.ts';
import type { JsonObject, JsonValue } from '../../../src/lib/json.ts';
import { textOf } from '../../../src/llm/message.ts';
import { clarifyTool } from '../../../src/tools/clarify/clarify.ts';
import { openWorkplace, type Workplace } from '../file/support.ts';
import { jsonOf, runTool } from '../support.ts';

interface Asked {
  readonly question: string;
  readonly choices: readonly string[];
}

function withQuestions(t: TestContext): Workplace {
  return openWorkplace(t, { services: { knowledge: { questions: { whileOpen: (_question, ask) => ask() } } } });
}

/** Somebody who gives one answer to everything. */
function answering(answer: ClarifyAnswer): Human & { readonly asked: Asked[] } {
  const asked: Asked[] = [];
  return {
    ...headless,
    present: true,
    clarifies: true,
    asked,
    clarify(question, choices) {
      asked.push({ question, choices });
      return Promise.resolve(answer);
    },
  };
}

const offers: readonly (readonly [what: string, given: JsonValue | undefined, offered: readonly string[] | null])[] = [
  ['of six choices four are offered', ['a', 'b', 'c', 'd', 'e', 'f'], ['a', 'b', 'c', 'd']],
  ['blank ones are left out before they are counted', ['', 'a', '  ', 'b', 'c', 'd'], ['a', 'b', 'c', 'd']],
  ['the same one stands there once', ['a', ' a ', 'b'], ['a', 'b']],
  ['without any it is an open question', undefined, null],
  ['nothing but blanks makes it an open question', ['', ' '], null],
  [
    'objects are shown by their words, label first',
    [{ description: 'slow', label: 'A' }, { description: 'B' }, { text: ' C ' }, { label: '', title: 'D' }],
    ['A', 'B', 'C', 'D'],
  ],
  ['what has no words is no choice', [{ value: 'x' }, {}, null, [], 7, 'a'], ['7', 'a']],
  ['a list as text is a list', '["a","b"]', ['a', 'b']],
];

for (const [what, given, offered] of offers) {
  test(what, async (t) => {
    const { services } = withQuestions(t);
    const human = answering({ said: 'mine' });
    const args: JsonObject = { question: ' Which? ', ...(given === undefined ? {} : { choices: given }) };
    const outcome = await runTool(clarifyTool, args, services, { human });
    assert.deepEqual(human.asked, [{ question: 'Which?', choices: offered ?? [] }]);
    assert.deepEqual(jsonOf(outcome), { question: 'Which?', choices_offered: offered, user_response: 'mine' });
    assert.deepEqual(outcome.sources, [{ from: 'user' }]);
  });
}

test('silence and a closed question are told as such, not as words of the person', async (t) => {
  const { services } = withQuestions(t);
  for (const [unanswered, told] of [
    ['timeout', /"user_response":"\[No answer came in time\..*best judgement.*Silence is no consent\.\]"/],
    ['cancelled', /"user_response":"\[The user closed the question/],
  ] as const) {
    const outcome = await runTool(clarifyTool, { question: 'Which?' }, services, { human: answering({ unanswered }) });
    assert.match(textOf(outcome.content), told);
    assert.deepEqual(outcome.sources, [{ from: 'agent' }]);
    assert.equal(outcome.isError, false);
  }
});

test('where nobody can be asked the model is told so, and the tool is not offered', async (t) => {
  const error = { error: 'Clarify tool is not available in this execution context.' };
  const { services } = withQuestions(t);
  const away: Human = { ...answering({ said: 'x' }), present: false };
  for (const human of [headless, away, answering({ unanswered: 'unasked' })]) {
    const outcome = await runTool(clarifyTool, { question: 'Which?' }, services, { human });
    assert.deepEqual(jsonOf(outcome), error);
    assert.equal(outcome.isError, true);
  }
  const { services: without } = openWorkplace(t);
  assert.deepEqual(jsonOf(await runTool(clarifyTool, { question: 'Which?' }, without)), error);
  assert.equal(clarifyTool.available(without), false);
  assert.equal(clarifyTool.available(services), true);
});

test('a question without words is refused, and one of any length is cut', async (t) => {
  const { services } = withQuestions(t);
  const human = answering({ said: 'x' });
  const refused = await runTool(clarifyTool, { question: '  ' }, services, { human });
  assert.match(textOf(refused.content), /"error":".*question/s);
  await runTool(clarifyTool, { question: 'q'.repeat(9000), choices: ['c'.repeat(900)] }, services, { human });
  assert.equal(human.asked.length, 1);
  assert.equal(human.asked[0]?.question.length, 3000);
  assert.equal(human.asked[0]?.choices[0]?.length, 300);
});

test('it runs beside no other call', (t) => {
  const { services } = withQuestions(t);
  const prepared = clarifyTool.prepare({ question: 'Which?' });
  assert.ok(!('problem' in prepared));
  assert.equal(prepared.parallel(services), 'never');
});
