/** Which scripts of sed and awk only edit and print, and which statements of SQL only read. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPlainAwk } from '../../../src/safety/programs/awk-program.ts';
import { isReading } from '../../../src/safety/programs/databases.ts';
import { isPlainSed } from '../../../src/safety/programs/sed-script.ts';

test('scripts of sed that edit lines are plain', () => {
  const scripts = [
    's/a/b/',
    's/a/b/g',
    's|/usr|/opt|gI',
    's/[^a-z]/x/2p',
    '1,20p',
    '$d',
    '/^#/d;/^$/d',
    '/start/,/end/p',
    '0~3d',
    '5q',
    '/x/!s/a/b/',
    ':a;N;$!ba;s/\n/ /g',
    'y/abc/xyz/',
    '1i\\\nfirst line',
    '$a last line',
    '/x/{s/a/b/;p;}',
    's/a\\/b/c/',
    '# a comment\ns/a/b/',
    '1!G;h;$!d',
    's/\\(a\\)\\(b\\)/\\2\\1/',
  ];
  for (const script of scripts) assert.equal(isPlainSed(script), true, script);
});

test('scripts of sed that write, run, read commands or cannot be taken apart are not plain', () => {
  const scripts = [
    'w out',
    '/x/w out',
    '1,3w out',
    'W out',
    's/a/b/w out',
    's/a/b/gw out',
    's/a/b/e',
    's/a/b/ge',
    's/a/b/pe',
    'e id',
    '1e',
    '1!e id',
    '$e id',
    'p;e id',
    '{e id',
    '/a/{p;w out\n}',
    's/[/]/x/w out',
    's/a/b/;s/c/d/e',
    ':a;w out',
    'y/a/b/;e id',
    's,a,b,w out',
    'sxaxbxe',
    's/a/b',
    '\\,a,w out',
    'R in',
    'v 1e',
    '',
    '\ue000',
    's/\ue000/b/',
  ];
  for (const script of scripts) assert.equal(isPlainSed(script), false, script);
});

test('programs of awk that compute and print are plain', () => {
  const programs = [
    '{print $1}',
    '{print $1, $NF; n++} END {print n}',
    '$3 > 100 {print $1}',
    'NR>1 && $2 >= 5',
    '!seen[$0]++',
    '/a|b/ {print}',
    '{gsub(/"/, ""); print}',
    '{print $1 " | " $2}',
    '{print $1 "->" $2}',
    '{ if ($1 > 2 || $2 < 3) s += $1 / 2 } END { print s }',
    'length($0) > 80',
    'BEGIN {FS="|"} {print $2}',
  ];
  for (const program of programs) assert.equal(isPlainAwk(program), true, program);
});

test('programs of awk that write, run, connect or can be read in two ways are not plain', () => {
  const programs = [
    'BEGIN{system("id")}',
    'BEGIN{"id" | getline}',
    '{print | "sh"}',
    '{print > "out"}',
    '{print>>"out"}',
    '{printf "%s", $1 > "out"}',
    '{print $1,\n$2 > "out"}',
    '{print "x" \\\n> "out"}',
    '{print $0 |& "sh"}',
    'BEGIN{f="sys" "tem"; @f("id")}',
    '@load "filefuncs"',
    'BEGIN{while((getline l < "f")>0) print l}',
    'BEGIN{print "x" > "/inet/tcp/0/a.example/80"}',
    '/"/ { print "x" | "sh" } /"/',
    'x\n/#/ { print "x" | "sh" }',
    'NR { if (1) /#/; print "x" | "sh" }',
    '{ a++ /"/ ; print "x" | "sh" ; b = "/" }',
    '/[/]"/ {print "x" | "sh"} /"/',
    '"',
    '',
    '\ue000',
  ];
  for (const program of programs) assert.equal(isPlainAwk(program), false, program);
});

test('statements that only show are reading ones', () => {
  for (const text of [
    'select 1',
    'SELECT * FROM t;',
    '.tables',
    '.schema t',
    'explain select 1',
    'with a as (select 1) select * from a',
  ]) {
    assert.equal(isReading(text), true, text);
  }
});

test('statements that change something, run something or load something are not', () => {
  const texts = [
    'delete from t',
    'select 1; drop table t',
    'with a as (delete from t returning 1) select * from a',
    'select * into x from t',
    '.shell id',
    '.sh id',
    '.system id',
    '.output x',
    'select 1\n.shell id',
    "select writefile('x', 'y')",
    "select load_extension('x')",
    "attach 'x' as y",
    '.read x.sql',
    'pragma writable_schema = 1',
    '\\! id',
  ];
  for (const text of texts) assert.equal(isReading(text), false, text);
});
