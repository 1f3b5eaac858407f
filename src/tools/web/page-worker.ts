/** Entry of the thread that converts one page: what a page makes slow or fills with memory is ended with the thread. */
import { parentPort, workerData } from 'node:worker_threads';
import { htmlToMarkdown } from './html-to-markdown.ts';

const { html, url }: { readonly html: string; readonly url: string } = workerData;
const whole = htmlToMarkdown(html, url, (plain) => parentPort?.postMessage({ kind: 'plain', ...plain }, []));
parentPort?.postMessage({ kind: 'whole', ...whole }, []);
