/** Which files of an agent's home hold its credentials, its rules and its record, by their path inside the home. */

/**
 * `credential`: holds secrets. `rules`: decides what the agent may do. `record`: says what it did. `learned`: what later
 * conversations begin with; the agent writes it freely until text from outside has entered the conversation.
 */
export type HomeFileKind = 'credential' | 'rules' | 'record' | 'learned';

const kinds: readonly (readonly [RegExp, HomeFileKind])[] = [
  [/^\.env(?:\.(?!example$|sample$|template$).*)?$/, 'credential'],
  [/^\.op\.env(?:\..*)?$/, 'credential'],
  [/^audit\.key$/, 'credential'],
  [/^cache\/\.?(?:bws|op)_cache\.json(?:\..*)?$/, 'credential'],
  [/^auth(?:\.[\w-]+)*\.(?:json(?:\..*)?|lock)$/, 'credential'],
  [/^(?:\.anthropic_oauth|webhook_subscriptions|auth\/google_oauth)\.json$/, 'credential'],
  [/^(?:pairing|platforms|gateway|mcp-tokens|browser_auth|credentials)(?:\/|$)/, 'credential'],
  [/^(?:google_token|google_client_secret|honcho)\.json$/, 'credential'],
  [/^config\.ya?ml(?:\..*)?$/, 'rules'],
  [/^(?:shell-hooks-allowlist|gateway|mcp|processes|channel_directory|channel_aliases|mcp-agreed)\.json$/, 'rules'],
  [/^(?:hooks|agent-hooks|plugins|scripts|bin|providers)(?:\/|$)/, 'rules'],
  [/^(?:cron\/(?:jobs|.*lock).*|active_profile)$/, 'rules'],
  [/^skills\/\.hub(?:\/|$)/, 'rules'],
  [/^skills\/\.usage\.(?:json|lock)$/, 'record'],
  [/^(?:state|response_store|verification_evidence)\.db(?:-wal|-shm|-journal)?$/, 'record'],
  [/^(?:logs|sessions|checkpoints|pending)(?:\/|$)/, 'record'],
  [/^(?:memories|skills|skill-bundles)(?:\/|$)|^soul\.md$/, 'learned'],
];

/** What a file is to the agent's own safety; `undefined` for what it may freely use (caches, images). */
export function homeFileKind(pathInHome: string): HomeFileKind | undefined {
  const path = pathInHome.toLowerCase();
  return kinds.find(([pattern]) => pattern.test(path))?.[1];
}
