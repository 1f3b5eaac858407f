/** Clients of databases: reading is free, what destroys asks, and so does a file of statements nobody has read. */
import { UNKNOWN } from '../commands/fields.ts';
import type { SimpleCommand } from '../commands/simple-command.ts';
import { describe } from './describe.ts';
import { asks, type ProgramFindingKey } from './findings.ts';
import { hostContact } from './hosts.ts';
import type { KnownCall, Program } from './known.ts';
import type { Arguments } from './options.ts';

const destroys = 'destroys data';
const statementsUnread = 'runs a file on a database';

export const databases: readonly Program[] = [
  describe('psql', {
    place: 'outside',
    plain:
      '-AaEqtxXeHlnSz1V -h= -p= -U= -d= -c= -F= -R= --host= --port= --username= --dbname= --command= --tuples-only --no-align --csv --html --expanded --list --no-password --quiet --no-psqlrc --single-transaction --version --echo-queries --field-separator=',
    writes: '-o= -L= --output= --log-file=',
    asks: { [statementsUnread]: '-f= --file=' },
    check: (known, args, call) => knowServer(known, args, call, ['-c', '--command']),
  }),
  describe('mysql mariadb', {
    place: 'outside',
    plain:
      '-BEHNrstvXV -h= -P= -u= -p? -e= -D= --host= --port= --user= --password? --execute= --database= --batch --silent --table --skip-column-names --vertical --raw --protocol= --version --ssl-mode=',
    check: (known, args, call) => knowServer(known, args, call, ['-e', '--execute']),
  }),
  describe('sqlite3', {
    plain:
      '-line -list -column -json -csv -html -box -table -markdown -header -noheader -readonly -batch -separator= -nullvalue= -version -safe -tabs -quote',
    style: 'words',
    optionsFirst: true,
    check: (known, { operands }, call) => {
      const statements = [
        ...operands.slice(1).map(({ text }) => text),
        ...(call.stdin === undefined ? [] : [call.stdin]),
      ];
      if (operands.length < 2 && call.stdin === undefined) return undefined;
      return statements.every(isReading) ? known : statements.some(isDestroying) ? asking(known, destroys) : undefined;
    },
  }),
  describe('redis-cli valkey-cli', {
    place: 'outside',
    plain:
      '-h= -p= -a= -n= -u= -c -x --raw --no-raw --csv --json --scan --pattern= --bigkeys --stat --latency --no-auth-warning --tls --user= --pass= --version --memkeys --hotkeys',
    optionsFirst: true,
    asks: { [destroys]: '--eval= --cluster= --pipe --replica --rdb= --functions-rdb=' },
    check: knowRedis,
  }),
  describe('mongosh mongo', {
    place: 'outside',
    plain:
      '--quiet --eval= --host= --port= -u= -p= --username= --password= --authenticationDatabase= --norc --version --json?',
    check: (known, { operands, given, strange }) => {
      const texts = given.filter(({ option }) => option.name === '--eval').map(({ value }) => value ?? '');
      const told = { ...known, contacts: [hostContact(operands[0]?.text ?? 'localhost', 'data')] };
      if (given.some(({ option }) => option.name === '--version')) return known;
      const reads =
        /^(?:\s*(?:printjson|print)?\(?\s*(?:db(?:\.[\w$]+|\.getCollection\(["'][\w.]+["']\)|\.getSiblingDB\(["'][\w.]+["']\))*\.(?:find|findOne|count|countDocuments|estimatedDocumentCount|distinct|stats|getCollectionNames|getIndexes|version|serverStatus|runCommand\(\{\s*ping:\s*1\s*\}\)|explain|getMongo)\b[^;]*|show (?:dbs|collections|users)|rs\.status\(\))\)?;?\s*)$/;
      return !strange &&
        texts.length > 0 &&
        operands.length < 2 &&
        texts.every(
          (text) => reads.test(text) && !/drop|delete|remove|update|insert|\$out|\$merge|eval|shutdown/i.test(text),
        )
        ? told
        : asking(told, statementsUnread);
    },
  }),
  describe('pg_dump pg_dumpall mysqldump mariadb-dump mongodump mongoexport pg_isready mysqlshow', {
    place: 'outside',
    plain:
      '-aBbcCdEFhlnNopsStTUvwxZ -h= -p= -P= -U= -u= -d= -n= -t= -F= -j= --host= --port= --username= --user= --password? --dbname= --format= --schema= --table= --schema-only --data-only --no-owner --no-acl --no-privileges --single-transaction --quick --no-data --routines --databases --all-databases --clean --if-exists --no-tablespaces --uri= --db= --collection= --gzip --archive? --inserts --version',
    writes: '-f= -r= -o= --file= --result-file= --out=',
    check: (known, { given }) => {
      const server = given.find(({ option }) => /^(?:-h|--host|--uri)$/.test(option.name))?.value;
      return { ...known, contacts: [hostContact(server ?? 'localhost', 'request')] };
    },
  }),
  describe('createdb createuser', {
    place: 'outside',
    plain: '-h= -p= -U= -O= -T= -E= -e --host= --port= --username= --owner= --template= --encoding=',
  }),
  describe(
    'dropdb dropuser pg_restore mongorestore mongoimport mysqlimport pg_resetwal pg_ctl initdb reindexdb clusterdb vacuumdb mysqladmin influx cqlsh clickhouse-client clickhouse cockroach sqlcmd sqlplus duckdb etcdctl',
    {
      plain: '--version',
      ask: destroys,
    },
  ),
  describe('prisma', {
    commands: {
      migrate: { commands: { reset: { ask: destroys }, deploy: { ask: destroys }, resolve: { ask: destroys } } },
      db: {
        asks: { [destroys]: '--force-reset --accept-data-loss' },
        commands: {
          execute: { ask: destroys },
          push: { asks: { [destroys]: '--force-reset --accept-data-loss' }, check: () => undefined },
        },
      },
    },
  }),
];

function knowServer(
  known: KnownCall,
  { operands, given, strange, mayHoldOptions }: Arguments,
  call: SimpleCommand,
  names: readonly string[],
): KnownCall {
  const server = given.find(({ option }) => option.name === '-h' || option.name === '--host')?.value;
  const url = operands.map(({ text }) => text).find((text) => text.includes('://'));
  const told = { ...known, contacts: [hostContact(url ?? server ?? 'localhost', 'data')] };
  if (known.findings.length > 0) return told;
  // A sandbox would let it reach the server.
  if (strange || mayHoldOptions) return asking(told, statementsUnread);
  const statements = given.filter(({ option }) => names.includes(option.name)).map(({ value }) => value ?? '');
  const looks = given.some(({ option }) => /^(?:-l|--list|-V|--version)$/.test(option.name));
  const fed = call.stdin === undefined ? [] : [call.stdin];
  const reads =
    call.redirections.some(({ operator }) => operator === '<') ||
    (call.pipedFrom.length > 0 && call.stdin === undefined);
  const all = [...statements, ...fed];
  if (all.some(isDestroying)) return asking(told, destroys);
  if (reads || (all.length === 0 && !looks)) return asking(told, statementsUnread);
  return all.every((text) => !text.includes(UNKNOWN) && !isProgramStatement(text))
    ? told
    : asking(told, statementsUnread);
}

/** Statements and prompt commands that only show. */
export function isReading(text: string): boolean {
  if (
    text.includes(UNKNOWN) ||
    isProgramStatement(text) ||
    /\binto\b|\b(?:read|write)file\b|\b(?:fs|ls)dir\b|\bzipfile\b|\bload_extension\b|\bedit\s*\(/i.test(text)
  )
    return false;
  return text
    .split(/[;\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .every(
      (part) =>
        /^(?:select|with|show|explain|values|describe|desc|pragma (?:table_info|index_list|database_list|user_version|integrity_check|foreign_key_list)\b|\.(?:tables|schema|databases|indexes|mode|headers?|dump)\b|\\(?:d\S*|l|dt|conninfo|timing)\b)/i.test(
          part,
        ) && !/\b(?:insert|update|delete|drop|alter|create|attach)\b/i.test(part),
    );
}

/** They read or write files of the server, run programs, or run what another text holds. */
function isProgramStatement(text: string): boolean {
  const copy = text.search(/\bcopy\b/i);
  if (copy >= 0 && /\b(?:program|from|to)\b/i.test(text.slice(copy))) return true;
  return /\\(?:!|[.TPR]|copy|i|ir|include|o|w|g\s|gexec|s\s|e\b|setenv|source|system)|(?:^|[\n;])[^\S\n]*(?:source|system)\s|\binto\s+(?:outfile|dumpfile)\b|\bload_file\b|\bload\s+data\b|pg_read_|pg_ls_|pg_stat_file|pg_write|lo_(?:ex|im)port|dblink|pg_terminate|create\s+(?:extension|function|trigger|user|role)|alter\s+(?:system|user|role)|\bgrant\b|xp_cmdshell|\bdo\s+\$|\b(?:call|exec|execute|prepare)\b|\.(?:shell|system|output|once|import|read|load|open|save|restore|backup|clone|excel)\b/i.test(
    text,
  );
}

export function isDestroying(text: string): boolean {
  return withoutComments(text)
    .split(';')
    .some(
      (part) =>
        /\b(?:drop\s+(?:table|database|schema|view|index|user|role|column|type|owned|materialized)|truncate\b)/i.test(
          part,
        ) ||
        (/\b(?:delete\s+from|update\s+\S+\s+set)\b/i.test(part) &&
          !/\bwhere\b(?!\s+(?:true|1\s*=\s*1|1\s*(?:$|;)))/i.test(part)),
    );
}

/** What begins a comment that never ends is none. Whether one ends is looked for once: each `/*` would read all that follow. */
function withoutComments(text: string): string {
  let out = '';
  let at = 0;
  let mayEnd = true;
  const begins = /--[^\n]*|\/\*/g;
  for (let found = begins.exec(text); found !== null; found = begins.exec(text)) {
    let end = begins.lastIndex;
    if (found[0] === '/*') {
      const last: number = mayEnd ? text.indexOf('*/', end) : -1;
      mayEnd = last !== -1;
      if (!mayEnd) continue;
      end = last + 2;
    }
    out += `${text.slice(at, found.index)} `;
    at = end;
    begins.lastIndex = end;
  }
  return out + text.slice(at);
}

const redisReads =
  /^(?:get|mget|keys|scan|hget|hgetall|hkeys|hlen|hmget|lrange|llen|lindex|smembers|scard|sismember|zrange|zcard|zscore|zcount|exists|ttl|pttl|type|strlen|info|ping|dbsize|time|echo|object|memory|client|command|xlen|xrange|xinfo|getrange|randomkey|lastsave|slowlog|latency|role)$/i;
const redisWrites =
  /^(?:set|setex|setnx|incr|decr|incrby|hset|hincrby|lpush|rpush|sadd|zadd|expire|publish|append|xadd|mset)$/i;

function knowRedis(
  known: KnownCall,
  { operands, given, strange, mayHoldOptions }: Arguments,
  call: SimpleCommand,
): KnownCall {
  const server = given.find(({ option }) => option.name === '-h')?.value;
  const told = { ...known, contacts: [hostContact(server ?? 'localhost', 'data')] };
  if (known.findings.length > 0) return told;
  if (strange || mayHoldOptions) return asking(told, destroys);
  const [verb, second] = operands.map(({ text }) => text);
  if (verb === undefined) {
    return call.stdin !== undefined || call.pipedFrom.length > 0 ? asking(told, statementsUnread) : told;
  }
  const looks = redisReads.test(verb) && !/^(?:kill|pause|reset|purge|no-evict|setname)$/i.test(second ?? '');
  return looks || redisWrites.test(verb) ? told : asking(told, destroys);
}

function asking(known: KnownCall, key: ProgramFindingKey): KnownCall {
  return { ...known, place: 'outside', findings: [...known.findings, asks(key)] };
}
