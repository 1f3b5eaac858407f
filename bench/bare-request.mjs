// The least that a one-shot answer can cost in Node: one streamed request, its events read, its text printed.
const response = await fetch(process.argv[2], {
  method: 'POST',
  headers: { 'content-type': 'application/json', authorization: 'Bearer test' },
  body: JSON.stringify({ model: 'fake-model', stream: true, messages: [{ role: 'user', content: 'hi' }] }),
});
let answer = '';
let rest = '';
for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
  const lines = (rest + part).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) {
    if (!line.startsWith('data: {')) continue;
    answer += JSON.parse(line.slice('data: '.length)).choices[0]?.delta.content ?? '';
  }
}
process.stdout.write(`${answer}\n`);
