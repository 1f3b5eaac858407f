/** What the guard looks for, line by line. */
import { deceptionRules } from './guard-rules/deception.ts';
import { harmRules } from './guard-rules/harm.ts';
import { theftRules } from './guard-rules/theft.ts';
import type { GuardRule } from './guard-rules/guard-rule.ts';

export const guardRules: readonly GuardRule[] = [...theftRules, ...deceptionRules, ...harmRules];
