/** When somebody who speaks is done: a judgement over the sound so far, whatever pieces it comes in. */
import { bytesPerSecond, loudnessOf } from './sound.ts';

export interface SilenceSettings {
  /** Loudness above which it is no silence, as `loudnessOf` measures it. */
  readonly threshold: number;
  /** Silence behind speech that ends a recording, in seconds. */
  readonly silenceSeconds: number;
  /** The longest recording, in seconds. */
  readonly maxSeconds: number;
}

/** What has been heard so far. All times are in frames. */
export interface Heard {
  /** `done`: silence behind speech; `nothing`: nobody spoke; `full`: it is as long as it may be. */
  readonly verdict: 'goes on' | 'done' | 'nothing' | 'full';
  /** Speech was confirmed. */
  readonly spoken: boolean;
  /** Of the last whole frame. */
  readonly loudness: number;
  readonly loudest: number;
  readonly frames: number;
  /** Since speech was confirmed last. */
  readonly quiet: number;
  /** Loud frames of what may become speech, and the quiet ones since the last of them. */
  readonly loud: number;
  readonly dip: number;
  /** The beginning of a frame. */
  readonly rest: Buffer;
}

const framesPerSecond = 50;
export const frameBytes = bytesPerSecond / framesPerSecond;
/** A cough or a door is shorter. */
const confirmFrames = 0.3 * framesPerSecond;
/** Between two syllables it is quiet for less. */
const dipFrames = 0.3 * framesPerSecond;
/** Whoever says nothing for so long has nothing to say. */
const patienceFrames = 15 * framesPerSecond;

export const nothingHeard: Heard = {
  verdict: 'goes on',
  spoken: false,
  loudness: 0,
  loudest: 0,
  frames: 0,
  quiet: 0,
  loud: 0,
  dip: 0,
  rest: Buffer.alloc(0),
};

/** Hears one more piece. What comes behind a verdict changes nothing. */
export function hear(heard: Heard, piece: Buffer, settings: SilenceSettings): Heard {
  const sound = heard.rest.length === 0 ? piece : Buffer.concat([heard.rest, piece]);
  let now = heard;
  let at = 0;
  for (; at + frameBytes <= sound.length && now.verdict === 'goes on'; at += frameBytes) {
    now = hearFrame(now, loudnessOf(sound.subarray(at, at + frameBytes)), settings);
  }
  return { ...now, rest: now.verdict === 'goes on' ? sound.subarray(at) : nothingHeard.rest };
}

function hearFrame(heard: Heard, loudness: number, settings: SilenceSettings): Heard {
  const frames = heard.frames + 1;
  const loudest = Math.max(heard.loudest, loudness);
  const speech = loudness > settings.threshold ? afterLoud(heard) : afterQuiet(heard);
  const now = { ...heard, ...speech, loudness, loudest, frames };
  return { ...now, verdict: verdictOn(now, settings) };
}

type Speech = Pick<Heard, 'spoken' | 'quiet' | 'loud' | 'dip'>;

/** A short noise in the silence behind speech does not make it longer; speech does. */
function afterLoud({ spoken, quiet, loud }: Heard): Speech {
  return loud + 1 >= confirmFrames
    ? { spoken: true, quiet: 0, loud: confirmFrames, dip: 0 }
    : { spoken, quiet: quiet + 1, loud: loud + 1, dip: 0 };
}

function afterQuiet({ spoken, quiet, loud, dip }: Heard): Speech {
  const isOver = dip + 1 >= dipFrames;
  return { spoken, quiet: quiet + 1, loud: isOver ? 0 : loud, dip: isOver ? 0 : dip + 1 };
}

/** Whoever begins to speak again is let finish. */
function verdictOn({ spoken, quiet, loud, frames }: Heard, settings: SilenceSettings): Heard['verdict'] {
  if (spoken && loud === 0 && quiet >= settings.silenceSeconds * framesPerSecond) return 'done';
  if (!spoken && loud === 0 && frames >= patienceFrames) return 'nothing';
  return frames >= settings.maxSeconds * framesPerSecond ? 'full' : 'goes on';
}
