/** The voices that Microsoft's browser reads pages with: no key, over a WebSocket. https://github.com/rany2/edge-tts */
import { createHash, randomBytes } from 'node:crypto';
import * as z from 'zod';
import type { Speaker } from '../../config/speech-output.ts';
import { UserError } from '../../lib/errors.ts';
import { proxyFor } from '../../lib/proxies.ts';
import type { SpeechProvider } from '../speech-provider.ts';
import { hear } from './edge-turn.ts';
import { configMessage, piecesOf, ssmlMessage } from './edge-words.ts';

const settings = z.looseObject({ voice: z.string().min(1).catch('en-US-AriaNeural') });
const deadlineMs = 60_000;
/** What every copy of the browser says of itself; it is no secret. */
const clientToken = '6A5AA1D4EAFF4E9FB37E23D68491D6F4';
const version = '143.0.3650.75';
const major = version.split('.', 1)[0];
const browser = `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Safari/537.36 Edg/${major}.0.0.0`;

export const edge: SpeechProvider = {
  formats: () => ['mp3'],
  maxCharacters: () => 5000,
  async speak({ text, speaker }, { proxies }, signal) {
    const { voice } = settings.parse(speaker.settings);
    const web = new URL(speaker.baseUrl.replace(/^ws/, 'http'));
    if (proxyFor(web, proxies) !== undefined)
      throw new UserError('its voices cannot be reached through a proxy; choose another tts.provider');
    const until = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]);
    const sounds: Uint8Array[] = [];
    // One connection takes one text, and none that is long.
    for (const piece of piecesOf(text)) sounds.push(await sayPiece(piece, voice, speaker, until));
    return Buffer.concat(sounds);
  },
};

async function sayPiece(piece: string, voice: string, { baseUrl, speed }: Speaker, signal: AbortSignal) {
  const socket = new WebSocket(addressAt(baseUrl, Date.now()), {
    headers: {
      pragma: 'no-cache',
      'cache-control': 'no-cache',
      origin: 'chrome-extension://jdiccldimpdaibmpdkjnbmckianbfold',
      'user-agent': browser,
      'accept-language': 'en-US,en;q=0.9',
      cookie: `muid=${idOf(16).toUpperCase()};`,
    },
  });
  const now = new Date();
  return await hear(socket, [configMessage(now), ssmlMessage({ piece, voice, speed, id: idOf(16), now })], signal);
}

/** The mark of the browser holds for five minutes of the clock, counted in parts of 100 ns from the year 1601. */
function addressAt(baseUrl: string, nowMs: number): string {
  const seconds = Math.floor(nowMs / 1000) + 11_644_473_600;
  const ticks = BigInt(seconds - (seconds % 300)) * 10_000_000n;
  const mark = createHash('sha256').update(`${ticks}${clientToken}`).digest('hex').toUpperCase();
  const query = new URLSearchParams({
    TrustedClientToken: clientToken,
    ConnectionId: idOf(16),
    'Sec-MS-GEC': mark,
    'Sec-MS-GEC-Version': `1-${version}`,
  });
  return `${baseUrl}/edge/v1?${query.toString()}`;
}

function idOf(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}
