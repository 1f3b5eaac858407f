/** What Whisper hears where nobody spoke: phrases of the videos that it learned from. https://github.com/openai/whisper/discussions/928 */

const phrases = new Set(
  [
    'thank you for watching',
    'thanks for watching',
    'subscribe to my channel',
    'like and subscribe',
    'please subscribe',
    'продолжение следует',
    'sous-titres',
    "sous-titres réalisés par la communauté d'amara.org",
    'sottotitoli creati dalla comunità amara.org',
    'untertitel von stephanie geiges',
    'amara.org',
    'www.mooji.org',
    'ご視聴ありがとうございました',
  ].map(plain),
);
/** Also several times over. */
const repeated = /^(?:thank you|thanks|bye|you|the end|\s)+$/;
/** Once it is an answer. */
const repeatedOnly = /^(?:ok|okay)(?: (?:ok|okay))+$/;

/** True for a text that nobody said, and for one without a word. */
export function isPhantom(text: string): boolean {
  const words = plain(text);
  return !/[\p{L}\p{N}]/u.test(words) || phrases.has(words) || repeated.test(words) || repeatedOnly.test(words);
}

/** In small letters, without signs at the end of sentences. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[.,!…。]+(?=\s|$)/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
