/** The programs of a soak: clients of the API, which ask and read whole or streamed, and senders of webhooks. */
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerLines } from '../../test/gateway/killed/outside-model.ts';

export const apiKey = 'soak-key-0123456789abcdef';
export const webhookSecret = 'soak-secret-0123456789abcdef';

export interface ApiTally {
  answered: number;
  /** The gateway ended before the answer did. */
  cut: number;
  /** Told so by the gateway. */
  refused: number;
  /** Said to be complete, and not the answer. */
  readonly wrong: string[];
}

const retryMs = 500;

/** Asks again and again in one session until the signal aborts, every second time as a stream. */
export async function askOverApi(url: string, session: number, tally: ApiTally, signal: AbortSignal): Promise<void> {
  for (let count = 1; !signal.aborted; count += 1) {
    const number = `c${session}#${count}`;
    const answer = await askOnce(url, session, `say ${number}`, count % 2 === 0);
    if (answer === 'cut') tally.cut += 1;
    else if (answer === 'refused') tally.refused += 1;
    else if (answerLines(number, 1).every((line) => answer.includes(line))) tally.answered += 1;
    else tally.wrong.push(`${number}: ${answer.slice(0, 200)}`);
    await sleep(answer === 'cut' || answer === 'refused' ? retryMs : Math.random() * 1000);
  }
}

async function askOnce(url: string, session: number, content: string, stream: boolean): Promise<string> {
  try {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        'x-hermes-session-id': `soak-${session}`,
      },
      body: JSON.stringify({ model: 'm', stream, messages: [{ role: 'user', content }] }),
    });
    const text = await response.text();
    if (response.status !== 200) return 'refused';
    if (!stream) return text;
    return text.includes('data: [DONE]') ? contentOf(text) : 'cut';
  } catch {
    return 'cut';
  }
}

function contentOf(events: string): string {
  return events
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)) as { choices?: { delta?: { content?: string } }[] })
    .map(({ choices }) => choices?.[0]?.delta?.content ?? '')
    .join('');
}

/** Resolves when the gateway has taken the delivery; until then it is sent again, as senders do. False: it was refused. */
export async function sendWebhook(url: string, id: string, text: string, signal: AbortSignal): Promise<boolean> {
  const body = JSON.stringify({ text });
  for (;;) {
    const time = String(Math.floor(Date.now() / 1000));
    const signature = createHmac('sha256', webhookSecret).update(`${time}.${body}`).digest('hex');
    try {
      const response = await fetch(`${url}/webhooks/soak`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-request-id': id,
          'x-webhook-timestamp': time,
          'x-webhook-signature-v2': signature,
        },
        body,
      });
      await response.text();
      if (response.ok) return true;
      if (response.status !== 503 && response.status !== 429) return false;
    } catch {
      // It is not there now.
    }
    if (signal.aborted) return false;
    await sleep(retryMs);
  }
}
