/** Pseudonyms of people and chats for what a model reads; messages are always sent to the real ids. */
import { createHash } from 'node:crypto';

/** Platforms on which nothing needs the real id in a text; elsewhere people are mentioned by it. */
const HASHED = new Set(['whatsapp', 'signal', 'telegram', 'bluebubbles', 'email', 'sms', 'ntfy', 'simplex', 'photon']);

/** @param isPiiSafe what the platform's own registration says; without one, what is known of it */
export function usesPseudonyms(redactPii: boolean, platform: string, isPiiSafe?: boolean): boolean {
  return redactPii && (isPiiSafe === true || HASHED.has(platform));
}

/** `user_` and 12 hex digits, always the same for the same person. */
export function userPseudonym(id: string): string {
  return `user_${digest(id)}`;
}

/** 12 hex digits; a platform in front of the id stays: `telegram:12345` becomes `telegram:5994471abb01`. */
export function chatPseudonym(id: string): string {
  const [, platform = '', chat = id] = /^([a-z][a-z0-9_]*:)(.+)$/s.exec(id) ?? [];
  return platform + digest(chat);
}

function digest(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 12);
}
