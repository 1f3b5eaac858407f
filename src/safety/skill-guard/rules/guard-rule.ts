/** What one rule of the guard is. */
export type Severity = 'critical' | 'high' | 'medium';

export type GuardCategory =
  | 'exfiltration'
  | 'injection'
  | 'obfuscation'
  | 'persistence'
  | 'supply_chain'
  | 'network'
  | 'destructive'
  | 'execution'
  | 'credential_exposure'
  | 'traversal'
  | 'privilege_escalation'
  | 'mining';

/** Every pattern is bounded in what it may skip, so that no line can make it run long. */
export type GuardRule = readonly [
  rule: string,
  category: GuardCategory,
  severity: Severity,
  pattern: RegExp,
  description: string,
];
