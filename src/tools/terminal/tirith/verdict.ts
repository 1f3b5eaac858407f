/** What a run of tirith says about a command. */
import * as z from 'zod';
import { parseJson } from '../../../lib/json.ts';
import { type Finding, scanned } from '../../../safety/finding.ts';

const maxFindings = 50;
const maxSummaryChars = 500;
const maxTitleChars = 200;

const report = z.object({
  findings: z
    .array(
      z.object({
        rule_id: z.string().catch('unknown'),
        severity: z.string().catch(''),
        title: z.string().catch(''),
        description: z.string().catch(''),
      }),
    )
    .catch([]),
  summary: z.string().catch(''),
});

type Reported = z.infer<typeof report>['findings'][number];

/** The exit code decides: 0 is nothing, 1 is a block, 2 a warning; undefined for any other: the scan failed. */
export function readVerdict(exitCode: number, output: string): readonly Finding[] | undefined {
  if (exitCode === 0) return [];
  if (exitCode !== 1 && exitCode !== 2) return undefined;
  const read = report.safeParse(parseJson(output));
  const { findings, summary } = read.success ? read.data : { findings: [], summary: '' };
  if (exitCode === 2 && findings.length > 0 && findings.every(isAppDomain)) return [];
  const found = findings.slice(0, maxFindings).map(findingOf);
  if (found.length > 0) return found.filter(({ key }, at) => found.findIndex((other) => other.key === key) === at);
  const word = exitCode === 1 ? 'block' : 'warn';
  return [
    scanned(word, summary === '' ? `the scanner says ${word}` : summary.slice(0, maxSummaryChars).toWellFormed()),
  ];
}

/** `.app` is an ordinary domain, whatever it looks like. */
function isAppDomain({ rule_id, title, description }: Reported): boolean {
  return rule_id === 'lookalike_tld' && /\.app(?![\w-]|\.\w)/i.test(`${title} ${description}`);
}

function findingOf({ rule_id, severity, title, description }: Reported): Finding {
  const text = (title === '' ? description : title).slice(0, maxTitleChars).toWellFormed();
  const name = rule_id.slice(0, maxTitleChars).toWellFormed();
  return scanned(name, `${text === '' ? name : text}${severity === '' ? '' : ` (${severity.toLowerCase()})`}`);
}
