/** Shortens pages to what the model was promised, and all of them to what one result may hold. */
import type { ToolContext } from '../../agent/tool.ts';
import type { ToolServices } from '../services.ts';
import type { PageResult } from './extract-pages.ts';
import { keepPage } from './keep-page.ts';
import { shortenedPage } from './page-window.ts';

/** What stands around the pages in a result, at most. */
const frameChars = 1000;
/** What a footer, an address and a title take. */
const pageFrameChars = 1500;
const leastChars = 1000;

/** The whole of a page that is shortened is kept first. */
export function fittingPages(
  pages: readonly PageResult[],
  limit: number,
  context: ToolContext<ToolServices>,
): readonly PageResult[] {
  const kept = new Map<PageResult, string | undefined>();
  const pathOf = (page: PageResult): string | undefined => {
    if (!kept.has(page)) kept.set(page, keep(page, context));
    return kept.get(page);
  };
  for (let chars = limit; ; chars = Math.floor(chars * 0.75)) {
    const shown = pages.map((page) =>
      page.content.length <= chars ? page : { ...page, content: shortenedPage(page.content, chars, pathOf(page)) },
    );
    const size = shown.reduce((sum, { content }) => sum + JSON.stringify(content).length + pageFrameChars, frameChars);
    if (size <= context.maxResultChars || chars <= leastChars) return shown;
  }
}

/** Undefined where it cannot be kept, or where files are elsewhere: the page says so then. */
function keep({ url, content }: PageResult, { services }: ToolContext<ToolServices>): string | undefined {
  const address = URL.parse(url);
  if (address === null || services.environment.kind !== 'local') return undefined;
  try {
    return keepPage(services.paths.homePath, address, content);
  } catch {
    // A full disk takes nothing from what was read.
    return undefined;
  }
}
