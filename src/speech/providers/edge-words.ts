/** What Edge's voices are told: frames of headers and text. */

/** Bytes of marked-up text in one message, as the service takes them. */
const maxPieceBytes = 4096;
const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  "'": '&apos;',
  '"': '&quot;',
};

export interface SpokenPiece {
  readonly piece: string;
  readonly voice: string;
  readonly speed: number;
  readonly id: string;
  readonly now: Date;
}

/** The text in parts, each short enough and marked up, cut between words where there are any. */
export function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  let piece = '';
  for (const word of text.split(/(?<=\s)/).flatMap(shortParts)) {
    const longer = piece + escaped(word);
    if (Buffer.byteLength(longer) <= maxPieceBytes) piece = longer;
    else {
      pieces.push(piece.trim());
      piece = escaped(word);
    }
  }
  return [...pieces, piece.trim()].filter((each) => each !== '');
}

export function configMessage(now: Date): string {
  const audio = {
    metadataoptions: { sentenceBoundaryEnabled: 'true', wordBoundaryEnabled: 'false' },
    outputFormat: 'audio-24khz-48kbitrate-mono-mp3',
  };
  const config = JSON.stringify({ context: { synthesis: { audio } } });
  return framed(
    [`X-Timestamp:${timeOf(now)}`, 'Content-Type:application/json; charset=utf-8', 'Path:speech.config'],
    `${config}\r\n`,
  );
}

/** https://www.w3.org/TR/speech-synthesis11/ */
export function ssmlMessage({ piece, voice, speed, id, now }: SpokenPiece): string {
  const change = Math.round((speed - 1) * 100);
  const rate = `${change < 0 ? '' : '+'}${change}%`;
  const ssml = `<speak version='1.0' xmlns='http://www.w3.org/2001/10/synthesis' xml:lang='en-US'><voice name='${escaped(fullName(voice))}'><prosody pitch='+0Hz' rate='${rate}' volume='+0%'>${piece}</prosody></voice></speak>`;
  const head = [`X-RequestId:${id}`, 'Content-Type:application/ssml+xml', `X-Timestamp:${timeOf(now)}Z`, 'Path:ssml'];
  return framed(head, ssml);
}

/** A word of some languages is a whole text. */
function shortParts(word: string): readonly string[] {
  return word.length <= maxPieceBytes / 12 ? [word] : (word.match(/[^]{1,300}/gu) ?? []);
}

/** `de-DE-KatjaNeural` as the service writes it. */
function fullName(voice: string): string {
  const [, language, region, name] = /^([a-z]{2,})-([A-Z][\w-]*)-([^-]+Neural)$/.exec(voice) ?? [];
  if (language === undefined || region === undefined || name === undefined) return voice;
  return `Microsoft Server Speech Text to Speech Voice (${language}-${region}, ${name})`;
}

/** Control characters are an error there. */
function escaped(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are meant
  return text.replace(/[\0-\x08\x0B\x0C\x0E-\x1F]/g, ' ').replace(/[&<>'"]/g, (found) => escapes[found] ?? found);
}

function framed(headers: readonly string[], body: string): string {
  return `${headers.join('\r\n')}\r\n\r\n${body}`;
}

/** As browsers write it. */
function timeOf(now: Date): string {
  const [day = '', date, month, year, time] = now.toUTCString().split(' ');
  return `${day.slice(0, 3)} ${month} ${date} ${year} ${time} GMT+0000 (Coordinated Universal Time)`;
}
