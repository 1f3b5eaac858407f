/** The answers to an approval, as they are offered. */
import type { ApprovalChoice, ApprovalRequest } from '../../agent/human.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import type { Choice } from './chat-screen.ts';

/** What each answer means, with its exact scope; narrower ones first. */
export function approvalChoices(
  kind: string,
  {
    mayRemember,
    smartDenied,
    scopes,
    whole,
  }: Pick<ApprovalRequest, 'mayRemember' | 'smartDenied' | 'scopes'> & { readonly whole: boolean },
): Choice[] {
  const { command, program } = scopes ?? {};
  return [
    { value: 'once', label: 'yes, once', description: 'run it this time', words: ['o', 'once'] },
    ...(smartDenied === true
      ? []
      : [
          {
            value: 'session',
            label: 'yes, session',
            description: `no more questions about “${kind}” in this conversation`,
            words: ['s', 'session'],
          },
        ]),
    ...scopeChoice('always command', 'yes, always this command', command),
    ...scopeChoice('always program', 'yes, always this program', program),
    ...(mayRemember
      ? [
          {
            value: 'always',
            label: 'yes, always',
            description: `every “${kind}” in every conversation`,
            words: ['a', 'always'],
          },
        ]
      : []),
    { value: 'deny', label: 'no', words: ['d', 'deny', 'n'] },
    { value: 'why', label: 'no, and say why', description: 'the reason goes to the model' },
    ...(whole ? [] : [{ value: 'view', label: 'view', description: 'show the whole command' }]),
  ];
}

function scopeChoice(value: ApprovalChoice, label: string, scope: string | undefined): Choice[] {
  return scope === undefined ? [] : [{ value, label, description: escapeForDisplay(scope, { singleLine: true }) }];
}
