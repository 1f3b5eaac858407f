/** How Markdown, menus and the input box look. */
import type { EditorTheme, MarkdownTheme, SelectListTheme } from '@earendil-works/pi-tui';
import type { Colors } from '../render/colors.ts';

export function markdownTheme(colors: Colors): MarkdownTheme {
  return {
    heading: (text) => colors.bold(colors.cyan(text)),
    link: colors.underline,
    linkUrl: colors.dim,
    code: colors.yellow,
    codeBlock: colors.green,
    codeBlockBorder: colors.dim,
    quote: colors.italic,
    quoteBorder: colors.dim,
    hr: colors.dim,
    listBullet: colors.cyan,
    bold: colors.bold,
    italic: colors.italic,
    strikethrough: colors.dim,
    underline: colors.underline,
  };
}

export function selectTheme(colors: Colors): SelectListTheme {
  return {
    selectedPrefix: colors.cyan,
    selectedText: (text) => colors.bold(colors.cyan(text)),
    description: colors.dim,
    scrollInfo: colors.dim,
    noMatch: colors.dim,
  };
}

export function editorTheme(colors: Colors): EditorTheme {
  return { borderColor: colors.dim, selectList: selectTheme(colors) };
}
