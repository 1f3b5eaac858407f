/** What each platform does with an answer's text: its marks and the length of its messages. */
import type { LengthUnit } from '../length.ts';
import { asWritten, render } from '../markdown/render.ts';
import { tablesToLists } from '../markdown/tables.ts';
import { toGoogleChat } from './google-chat.ts';
import { toIrc } from './irc.ts';
import { toLine } from './line.ts';
import { toPlain } from './plain.ts';
import { toSlack } from './slack.ts';
import { toTelegram } from './telegram.ts';
import { toWhatsapp } from './whatsapp.ts';

export interface TextRules {
  /** Longest message; 0 means no limit. */
  readonly limit: number;
  readonly unit: LengthUnit;
  readonly format: (markdown: string) => string;
}

/**
 * The rules of a platform. Signal, Matrix and Feishu send more than a text: their `format` is the text alone, and
 * `toSignal`, `toMatrix` and `toFeishu` make the rest. An unknown platform gets Markdown of any length.
 */
export function textRules(platform: string): TextRules {
  return platforms.get(platform) ?? { limit: 0, unit: 'codepoint', format: unchanged };
}

const unchanged = (markdown: string): string => markdown;
const rules = (limit: number, format = unchanged, unit: LengthUnit = 'codepoint'): TextRules => ({
  limit,
  unit,
  format,
});

const toMattermost = (markdown: string): string => render(markdown, { ...asWritten, image: (url) => url });

const toWeixin = (markdown: string): string => markdown.replaceAll('\r\n', '\n').replaceAll(/\n{3,}/g, '\n\n');

const platforms: ReadonlyMap<string, TextRules> = new Map([
  ['telegram', rules(4096, toTelegram, 'utf16')],
  ['discord', rules(2000, tablesToLists)],
  ['slack', rules(39_000, toSlack)],
  ['matrix', rules(16_000)],
  ['mattermost', rules(4000, toMattermost)],
  ['whatsapp', rules(4096, toWhatsapp)],
  ['whatsapp_cloud', rules(4096, toWhatsapp)],
  ['signal', rules(8000)],
  ['email', rules(50_000)],
  ['sms', rules(1600, toPlain)],
  ['homeassistant', rules(4096)],
  ['feishu', rules(8000)],
  ['dingtalk', rules(20_000)],
  ['wecom', rules(4000)],
  ['wecom_callback', rules(0)],
  ['weixin', rules(2000, toWeixin)],
  ['qqbot', rules(4000)],
  ['yuanbao', rules(4000)],
  ['bluebubbles', rules(4000, toPlain)],
  ['google_chat', rules(4000, toGoogleChat)],
  ['teams', rules(28_000)],
  ['line', rules(4500, toLine)],
  ['ntfy', rules(4096)],
  ['simplex', rules(8000)],
  ['photon', rules(8000)],
  ['irc', rules(450, toIrc, 'byte')],
]);
