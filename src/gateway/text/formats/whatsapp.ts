/** WhatsApp's marks, which are those of both its adapters (https://faq.whatsapp.com/539178204879377). */
import { asWritten, render, type Style } from '../markdown/render.ts';
import { withAddress } from './plain.ts';

export function toWhatsapp(markdown: string): string {
  return render(markdown, style);
}

const style: Style = {
  ...asWritten,
  strong: (words) => `*${words}*`,
  emphasis: (words) => `_${words}_`,
  strike: (words) => `~${words}~`,
  link: (url, words) => withAddress(words, url),
  image: (url, alt) => withAddress(alt, url),
  heading: (_, __, flat) => `*${flat}*`,
};
