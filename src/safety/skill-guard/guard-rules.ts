/** What the guard looks for, line by line. */
import { deceptionRules } from './rules/deception.ts';
import { harmRules } from './rules/harm.ts';
import { theftRules } from './rules/theft.ts';
import type { GuardRule } from './rules/guard-rule.ts';

export const guardRules: readonly GuardRule[] = [...theftRules, ...deceptionRules, ...harmRules];
