/** Entry of the thread that converts one page: what a page makes slow or fills with memory is ended with the thread. */
import { parentPort } from 'node:worker_threads';
import { feedToMarkdown } from './feed-to-markdown.ts';
import { htmlToMarkdown } from './html-to-markdown.ts';

parentPort?.once(
  'message',
  ({ text, url, kind }: { readonly text: string; readonly url: string; readonly kind: string }) => {
    parentPort?.postMessage(kind === 'feed' ? feedToMarkdown(text, url) : htmlToMarkdown(text, url), []);
  },
);
