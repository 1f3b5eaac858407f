/** Why a secret manager gave nothing, in kinds that a person and a program can tell apart. */
import { UserError } from '../lib/errors.ts';

export type FailureKind =
  | 'not_configured'
  | 'binary_missing'
  | 'auth_failed'
  | 'auth_expired'
  | 'ref_invalid'
  | 'network'
  | 'empty_value'
  | 'timeout'
  | 'internal';

/** The message holds no secret; it may hold what the program said, shortened and masked. */
export class SourceFailure extends UserError {
  override readonly name = 'SourceFailure';
  readonly kind: FailureKind;

  constructor(kind: FailureKind, message: string, hint?: string) {
    super(message, hint === undefined ? {} : { hint });
    this.kind = kind;
  }
}

/** The words of these programs and their servers, the more telling first: an item may be called "access token". */
const signs: readonly (readonly [FailureKind, RegExp])[] = [
  [
    'ref_invalid',
    /isn't an? (?:vault|item|field|section|file)|could(?: not|n't) find|does not have a field|invalid secret reference|no item/i,
  ],
  ['auth_expired', /(?:session|token|authori[sz]ation)[\w\s]{0,30}expired|expired[\w\s]{0,30}(?:session|token)/i],
  [
    'auth_failed',
    /not (?:currently )?signed in|no accounts? configured|unauthori[sz]ed|authenticat|access token|invalid token|invalid_client|forbidden|\b40[13]\b|permission|signin/i,
  ],
  [
    'network',
    /dial tcp|no such host|name or service not known|could not resolve|dns error|connection (?:refused|reset)|network is|timed? ?out|tls handshake|x509|certificate|error sending request|proxyconnect/i,
  ],
  ['ref_invalid', /not found|\b404\b|invalid uuid/i],
];

/** What the error output of such a program means. */
export function kindOfOutput(text: string): FailureKind {
  return signs.find(([, pattern]) => pattern.test(text))?.[0] ?? 'internal';
}
