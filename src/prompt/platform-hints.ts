/** How answers reach the user on each platform, and the owner's own words for it. */

/**
 * The hint for a surface; empty for one that needs none.
 * @param overrides `platform_hints` as configured: `{append}`, `{replace}` or a text to append; anything else is passed over
 * @param extra hints of platforms that plugins bring
 */
export function platformHint(
  surface: string,
  overrides: Readonly<Record<string, unknown>>,
  extra: Readonly<Record<string, string>> = {},
): string {
  const own = Object.hasOwn(extra, surface) ? extra[surface] : hints.get(surface);
  const { replace, append } = readOverride(Object.hasOwn(overrides, surface) ? overrides[surface] : undefined);
  if (replace !== '') return replace;
  return [own ?? '', append].filter((part) => part !== '').join('\n\n');
}

function readOverride(value: unknown): { readonly replace: string; readonly append: string } {
  if (typeof value === 'string') return { replace: '', append: value.trim() };
  if (typeof value !== 'object' || value === null) return { replace: '', append: '' };
  const text = (found: unknown): string => (typeof found === 'string' ? found.trim() : '');
  return {
    replace: 'replace' in value ? text(value.replace) : '',
    append: 'append' in value ? text(value.append) : '',
  };
}

const media = 'To send a file, put MEDIA:/absolute/path on a line of its own; send images from the web as ![alt](url).';
const plain = 'Write plain text: Markdown is not rendered.';

const hints: ReadonlyMap<string, string> = new Map([
  ['cli', 'The user reads your answers in a terminal: simple Markdown is rendered; keep lines and tables narrow.'],
  ['tui', 'The user reads your answers in a terminal: simple Markdown is rendered; keep lines and tables narrow.'],
  ['acp', 'The user reads your answers in a code editor, beside the files. Markdown is rendered.'],
  ['telegram', `You are talking in Telegram. Simple Markdown is rendered, tables are not. ${media}`],
  ['discord', `You are talking in Discord. Its Markdown is rendered, tables are not. ${media}`],
  ['slack', `You are talking in Slack. Simple Markdown is rendered, tables are not. ${media}`],
  ['mattermost', `You are talking in Mattermost. Markdown is rendered. ${media}`],
  ['matrix', `You are talking in Matrix. Markdown is rendered. ${media}`],
  ['feishu', `You are talking in Feishu. Markdown is rendered, tables are not. ${media}`],
  ['weixin', `You are talking in WeChat. Simple Markdown is rendered; keep messages short. ${media}`],
  ['wecom', `You are talking in WeCom. Simple Markdown is rendered. ${media}`],
  ['qqbot', `You are talking in QQ. Simple Markdown is rendered. ${media}`],
  ['yuanbao', `You are talking in Yuanbao. Markdown is rendered. ${media}`],
  ['desktop', 'The user reads your answers in a desktop program. All of Markdown is rendered.'],
  ['webui', 'The user reads your answers in a browser. All of Markdown is rendered.'],
  ['api_server', `You answer a program over HTTP; nobody knows how it shows text. ${plain}`],
  ['whatsapp', `You are talking in WhatsApp. ${plain} ${media}`],
  ['whatsapp_cloud', `You are talking in WhatsApp. ${plain} ${media}`],
  ['signal', `You are talking in Signal. ${plain} ${media}`],
  ['bluebubbles', `You are talking in iMessage. ${plain} ${media}`],
  [
    'email',
    `You answer an e-mail. ${plain} The subject stays as it is; leave out greetings and closing phrases unless they are wanted. To attach a file, put MEDIA:/absolute/path on a line of its own.`,
  ],
  ['sms', 'You answer a text message. Plain text only, at most about 1,600 characters.'],
  [
    'cron',
    'You run as a scheduled job. Nobody is present: never ask, decide sensibly yourself. Your final answer is the result and is delivered as it stands.',
  ],
]);
