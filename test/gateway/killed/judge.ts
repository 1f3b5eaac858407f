/** Judges a gateway by what the chat service and the file of side effects have seen, and by nothing of its own. */
import { answeredIn, answerLines, longLines, numbersIn } from './outside-model.ts';
import type { Sent, Update } from './outside-service.ts';

export interface Verdict {
  readonly messages: number;
  /** Acknowledged, and nobody was told anything. */
  readonly lost: readonly string[];
  /** Told more than once without a mark, or answered as well as given up. */
  readonly doubled: readonly string[];
  readonly outOfOrder: readonly string[];
  /** Side effects that happened more than once. */
  readonly repeatedEffects: readonly string[];
  /** Answered although not acknowledged in the end. */
  readonly unacknowledged: readonly string[];
  readonly answered: number;
  readonly notices: number;
  /** Answers that were given up, as the owner was told in the home chat. */
  readonly givenUp: number;
  /** Copies with a mark. */
  readonly marked: number;
  /** More than one copy with a mark of the same thing. */
  readonly markedTwice: readonly string[];
}

export function judge(updates: readonly Update[], sent: readonly Sent[], effects: string): Verdict {
  const shown = sent.filter(({ removed }) => !removed);
  const each = updates.map((update) => judgeOne(update, shown));
  const acknowledged = each.filter(({ update }) => update.acknowledged);
  const silent = acknowledged.filter(({ answered, notices }) => !answered && notices === 0);
  const done = effects.split('\n').flatMap(numbersIn);
  return {
    messages: updates.length,
    lost: silent.map(nameOf),
    givenUp: shown.filter(({ chat }) => chat === 'home').length,
    doubled: each.filter(({ doubled }) => doubled).map(nameOf),
    outOfOrder: outOfOrder(shown),
    repeatedEffects: repeated(done),
    unacknowledged: each.filter(({ update }) => !update.acknowledged).map(nameOf),
    answered: each.filter(({ answered }) => answered).length,
    notices: each.filter(({ notices }) => notices > 0).length,
    marked: each.reduce((sum, { marked }) => sum + marked, 0),
    markedTwice: each.filter(({ markedTwice }) => markedTwice).map(nameOf),
  };
}

interface Judged {
  readonly update: Update;
  /** The whole answer is there. */
  readonly answered: boolean;
  readonly notices: number;
  readonly doubled: boolean;
  readonly marked: number;
  readonly markedTwice: boolean;
}

const mark = '♻️';
/** Behind what is still being written: nobody takes that for an answer. */
const cursor = '▉';

/** Parts of one reply: the service is told which one they belong to. Previews end with the time. */
function replyOf({ key }: Pick<Sent, 'key'>): string {
  return key.replace(/\.\d{1,4}$/, '');
}

/** What was shown of an answer that was never finished there. */
function isLeftover({ key }: Pick<Sent, 'key'>): boolean {
  return /^preview\.|\.left$|\.settled$/.test(key);
}

function judgeOne(update: Update, shown: readonly Sent[]): Judged {
  const [number = ''] = numbersIn(update.text);
  const about = shown.filter(({ text }) => answeredIn(text).includes(number));
  // A part of an answer to several messages may name one of them alone.
  const isAlone = (part: Sent): boolean =>
    shown.filter((other) => replyOf(other) === replyOf(part)).every(({ text }) => answersOnly(number, text));
  const lines = answerLines(number, /\blong\b/.test(update.text) ? longLines : 1);
  const countOf = (line: string, messages: readonly Sent[]) =>
    messages.filter(({ text }) => text.includes(line)).length;
  // An answer to several messages repeats what was shown of one that was given up.
  const plain = about.filter((message) => !message.text.includes(mark) && isAlone(message));
  const replies = about.filter((message) => !message.text.includes(mark) && !isLeftover(message));
  const repliesWith = (line: string): number =>
    new Set(replies.filter(({ text }) => text.includes(line)).map(replyOf)).size;
  const copies = about.filter(({ text }) => text.includes(mark));
  // That it is answered later is no end. One for several messages names all of them.
  const notices = shown.filter(
    ({ replyTo, text }) =>
      (numbersIn(text).length === 0 ? replyTo === update.id : numbersIn(text).includes(number)) &&
      answeredIn(text).length === 0 &&
      !text.startsWith('⏳'),
  );
  const plainNotices = notices.filter(({ text }) => !text.includes(mark)).length;
  const finished = about.filter(({ text }) => !text.includes(cursor));
  const answered = lines.every((line) => countOf(line, finished) > 0);
  // The next message of the chat goes on with what was given up, and is answered for both.
  const answeredAlone = answered && finished.some(isAlone);
  return {
    update,
    answered,
    notices: notices.length,
    doubled:
      lines.some((line) => countOf(line, plain) > 1 || repliesWith(line) > 1) ||
      plainNotices > 1 ||
      (answeredAlone && plainNotices > 0),
    marked: copies.length,
    markedTwice: lines.some((line) => countOf(line, copies) > 1),
  };
}

function answersOnly(number: string, text: string): boolean {
  return answeredIn(text).every((each) => each === number);
}

/** First copies, chat by chat. */
function outOfOrder(shown: readonly Sent[]): readonly string[] {
  const newest = new Map<string, number>();
  const seen = new Set<string>();
  const wrong: string[] = [];
  for (const { text, chat } of shown) {
    // What is tried again half a minute later says so, and nothing waits for it.
    const isLate = text.includes(mark);
    for (const one of answeredIn(text)) {
      if (seen.has(one)) continue;
      seen.add(one);
      if (isLate) continue;
      const position = Number(one.split('#')[1]);
      if (position < (newest.get(chat) ?? -1)) wrong.push(one);
      newest.set(chat, Math.max(position, newest.get(chat) ?? -1));
    }
  }
  return wrong;
}

function repeated(all: readonly string[]): readonly string[] {
  return [...new Set(all.filter((one, index) => all.indexOf(one) !== index))];
}

function nameOf({ update }: Judged): string {
  return update.text;
}
