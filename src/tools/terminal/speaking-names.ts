/** Names of files are anybody's words too: a list of them is text of files as soon as one of them reads like a sentence. */
import type { Source } from '../../llm/source.ts';

const listing = /(?:^|[\s;&|(`/])(?:ls|dir|vdir|ll|tree|find|fd|fdfind|du|stat|realpath|git)(?=\s|$)/;
/** What stands before a name in a long list, with the date in its usual forms. */
const longList =
  /^[-dlbcpsD][-rwxsStT]{9}[.+@]?\s+\d+\s+\S+\s+\S+\s+\S+\s+(?:\w{3}\s+\d+\s+[\d:]+|\d{4}-\d\d-\d\d\s+\d\d:\d\d\S*(?:\s+[-+]\d{4})?)\s/;
/** The long form of git sets names off with a tab, the short one with two letters; the rest are its own words. */
const gitName = /^(?:\t|[ MTADRCU?!]{2} )/;
const complaint = /^(?:ls|dir|vdir|tree|find|fd|du|stat|realpath|git|fatal|error|warning): /;

const manyWords = 5;
const maxPlainChars = 120;

/** Where such names come from; empty when there are none in what a command printed. */
export function namesThatSpeak(command: string, output: string): readonly Source[] {
  if (!listing.test(command)) return [];
  const isGit = /\bgit\b/.test(command);
  const speaks = output
    .split('\n')
    .filter((line) => !complaint.test(line) && (!isGit || gitName.test(line)))
    .flatMap((line) => line.replace(longList, '').split(/\t|\s{2,}|\//))
    .some(isSentence);
  return speaks ? [{ from: 'file' }] : [];
}

function isSentence(name: string): boolean {
  const words = name.trim().split(/\s+/);
  return words.length >= manyWords || name.length > maxPlainChars || (words.length > 1 && /[{}<>;]/.test(name));
}
