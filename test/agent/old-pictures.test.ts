/** Pictures of what is long another by now are left out of requests. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutOldPictures } from '../../src/agent/without-old-pictures.ts';
import type { HistoryMessage } from '../../src/llm/message.ts';

const shown = (id: string, tool_name: string): HistoryMessage => ({
  role: 'tool',
  tool_call_id: id,
  tool_name,
  content: [
    { type: 'text', text: `seen ${id}` },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
  ],
});

const kept = (tool: string): number | undefined => (tool === 'screen' ? 3 : undefined);

test('of a tool that shows the present only the newest pictures are sent; its words and other pictures stay', () => {
  const photo = shown('photo', 'album');
  const screens = ['1', '2', '3', '4', '5'].map((id) => shown(id, 'screen'));
  const words: HistoryMessage = { role: 'tool', tool_call_id: 'w', tool_name: 'screen', content: 'no picture' };
  const history = [photo, ...screens.slice(0, 4), words, ...screens.slice(4)];
  const sent = withoutOldPictures(history, kept);
  const note = '[An older picture was here. Look again for the present one.]';
  assert.deepEqual(
    sent.slice(1, 3).map(({ content }) => content),
    [`seen 1\n${note}`, `seen 2\n${note}`],
  );
  assert.deepEqual([sent[0], ...sent.slice(3)], [photo, ...history.slice(3)]);
  assert.equal(withoutOldPictures(sent, kept), sent, 'what has none too many is the same');
});
