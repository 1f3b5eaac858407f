/** One person of WhatsApp under one name, whichever of the service's addresses a message carries. */

/**
 * The bare number or hidden id: `4915112345:7@s.whatsapp.net` and `+4915112345` are `4915112345`. Groups stay as they are.
 * @param phoneOf the phone number of a hidden id (`@lid`), where the pairing knows it
 */
export function whatsappIdentity(id: string, phoneOf?: (identity: string) => string | undefined): string {
  if (/@(?:g\.us|broadcast|newsletter)$/.test(id)) return id;
  const bare = id.trim().replace(/^\+/, '').replace(/@.*$/s, '').replace(/:\d+$/, '');
  const phone = phoneOf?.(bare);
  return phone === undefined || phone === '' ? bare : whatsappIdentity(phone);
}
