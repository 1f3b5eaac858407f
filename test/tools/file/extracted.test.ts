/** Documents that are read as text. */
import assert from 'node:assert/strict';
import { copyFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ZipFile } from 'yazl';
import { extractDocument } from '../../../src/tools/file/documents/extract-document.ts';
import { ZipParts } from '../../../src/tools/file/documents/zip-parts.ts';
import { openWorkplace, said, type Workplace } from './support.ts';

const never = new AbortController().signal;

/** A workplace with the documents of other programs. */
function withFixtures(t: TestContext, ...names: string[]): Workplace {
  const place = openWorkplace(t);
  for (const name of names) copyFileSync(join(import.meta.dirname, 'fixtures', name), join(place.directory, name));
  return place;
}

/** The text of a document, without the numbers of its lines. */
async function textOf(place: Workplace, path: string): Promise<string> {
  const read = await place.read({ path });
  assert.equal(read['extracted_document'], true, read.text);
  return said(read, 'content').replaceAll(/^\d+\|/gm, '');
}

/** An archive with these parts. */
async function archive(parts: Readonly<Record<string, string>>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(parts)) zip.addBuffer(Buffer.from(content), name);
  zip.end();
  const chunks: Buffer[] = [];
  for await (const chunk of zip.outputStream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

const word = (body: string): string => `<w:document xmlns:w="urn:w"><w:body>${body}</w:body></w:document>`;

test('a Word document is read with its headings, lists and tables', async (t) => {
  const place = withFixtures(t, 'python-docx.docx');
  assert.equal(
    await textOf(place, 'python-docx.docx'),
    [
      '# Title here',
      '# Part one',
      'Hello bold wörld 日本 & <x>\ttab',
      '- first',
      '- second',
      '| a | b |',
      '| c c2 | d |',
      '',
      'after',
    ].join('\n'),
  );
});

test('what a reader of a Word document does not see is not read, what stands in notes is', async () => {
  const docx = await archive({
    'word/document.xml': word(
      '<w:p><w:r><w:t>kept</w:t></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins><w:r><w:t xml:space="preserve"> new</w:t></w:r></w:ins><w:r><w:footnoteReference w:id="2"/></w:r></w:p>' +
        '<w:p><mc:AlternateContent><mc:Choice><w:txbxContent><w:p><w:r><w:t>box</w:t></w:r></w:p></w:txbxContent></mc:Choice><mc:Fallback><w:p><w:r><w:t>box</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent></w:p>',
    ),
    'word/footnotes.xml':
      '<w:footnotes xmlns:w="urn:w"><w:footnote><w:p><w:r><w:t>small</w:t></w:r></w:p></w:footnote></w:footnotes>',
  });
  assert.equal(await extractDocument('docx', docx, never), 'kept new[2]\nbox\n\n\n# ── Footnotes ──\nsmall');
});

test('a workbook is read sheet by sheet, with dates as dates and formulas that have no result as formulas', async (t) => {
  const place = withFixtures(t, 'openpyxl.xlsx', 'xlsxwriter.xlsx');
  assert.equal(
    await textOf(place, 'openpyxl.xlsx'),
    [
      "# ── Sheet 'Sales' ──",
      'name\tn\twhen\tat\tsum\tok',
      'Ann\t1.5\t2026-01-02\t2026-01-02 03:04:05\t=B2*2\tTRUE',
      '',
      'x y',
      '[rows 5 to 8 are empty]',
      '\tgap',
      '',
      "# ── Sheet 'Hid' (hidden) ──",
      '',
      '',
      '\t\tsecret',
    ].join('\n'),
  );
  assert.equal(
    await textOf(place, 'xlsxwriter.xlsx'),
    "# ── Sheet 'Ünï' ──\nhi\t2025-05-06\tabc\t2\t0.3\t1234567890123",
  );
});

test('of a sheet 5,000 rows and 256 columns are shown, and it says that there is more', async () => {
  const row = (n: number, cells: number): string => `<row r="${n}">${'<c><v>1</v></c>'.repeat(cells)}</row>`;
  const rows = Array.from({ length: 5010 }, (_, n) => row(n + 1, n === 0 ? 300 : 1)).join('');
  const xlsx = await archive({
    'xl/workbook.xml': '<workbook><sheets><sheet name="S" r:id="r1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': '<Relationships><Relationship Id="r1" Target="worksheets/s.xml"/></Relationships>',
    'xl/worksheets/s.xml': `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
  });
  const lines = (await extractDocument('xlsx', xlsx, never))?.split('\n') ?? [];
  assert.equal(lines.length, 1 + 5000 + 2);
  assert.equal(lines[1]?.split('\t').length, 256);
  assert.match(lines.slice(-2).join('\n'), /first 5000 rows.*\n.*first 256 columns/);
});

test('a PDF is read page by page; one of pictures says that it has no text', async (t) => {
  const place = withFixtures(t, 'fpdf2.pdf', 'fpdf2-empty.pdf', 'fpdf2-locked.pdf');
  assert.equal(
    await textOf(place, 'fpdf2.pdf'),
    '# ── Page 1 ──\nHello PDF one\nsecond line\n\n# ── Page 2 ──\nPage two',
  );
  assert.match(said(await place.read({ path: 'fpdf2-empty.pdf' }), 'error'), /without any text.*vision_analyze/);
  assert.match(said(await place.read({ path: 'fpdf2-locked.pdf' }), 'error'), /binary/);
});

test('parts of a document are read by offset and limit, like those of a text', async (t) => {
  const place = withFixtures(t, 'openpyxl.xlsx');
  const read = await place.read({ path: 'openpyxl.xlsx', offset: 3, limit: 1 });
  assert.match(said(read, 'content'), /^3\|Ann\t/);
  assert.deepEqual([read['total_lines'], read['hint']], [12, 'Go on with offset 4.']);
});

test('what is broken, locked or too large to look into is a binary file', async (t) => {
  const place = withFixtures(t, 'openpyxl.xlsx');
  const whole = await archive({ 'word/document.xml': word('<w:p/>') });
  place.put('cut.docx', whole.subarray(0, whole.length - 30));
  place.put('no.docx', await archive({ 'other.xml': '<x/>' }));
  place.put('words.pdf', 'these are only words');
  place.put('old.xlsx', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0, 0, 0, 0]));
  place.put('huge.xlsx', 'x');
  truncateSync(join(place.directory, 'huge.xlsx'), 50 * 1024 * 1024 + 1);
  for (const path of ['cut.docx', 'no.docx', 'words.pdf', 'old.xlsx', 'huge.xlsx']) {
    const read = await place.read({ path });
    assert.match(said(read, 'error'), /is a binary file/, path);
    assert.equal(read['is_binary'], true);
  }
});

test('entities of a document’s own mean nothing, and an archive is unpacked within a bound', async () => {
  const laughs = `<!DOCTYPE x [<!ENTITY a "ha">${Array.from({ length: 20 }, (_, n) => `<!ENTITY ${String.fromCharCode(98 + n)} "${`&${String.fromCharCode(97 + n)};`.repeat(10)}">`).join('')}<!ENTITY file SYSTEM "file:///etc/passwd">]>`;
  const docx = await archive({
    'word/document.xml': laughs + word('<w:p><w:r><w:t>&u; &file; &amp;</w:t></w:r></w:p>'),
  });
  const text = (await extractDocument('docx', docx, never)) ?? '';
  assert.ok(text.length < 100 && !text.includes('root:') && text.endsWith('&'), text);

  const deep = await archive({ 'word/document.xml': word('<w:tbl><w:tr><w:tc>'.repeat(1000)) });
  assert.equal(await extractDocument('docx', deep, never), undefined);

  const bomb = await archive({ 'a.xml': '0'.repeat(1_000_000), 'b.xml': 'x' });
  const parts = await ZipParts.open(bomb, 10_000);
  await assert.rejects(async () => {
    for await (const chunk of parts.read('a.xml')) assert.ok(chunk.length > 0);
  }, /unpacks to too much/);
});

test('text is not written in the place of a document', async (t) => {
  const place = withFixtures(t, 'openpyxl.xlsx', 'fpdf2.pdf');
  for (const path of ['openpyxl.xlsx', 'fpdf2.pdf']) {
    assert.match(said(await place.write({ path, content: 'a,b\n' }), 'error'), /would destroy it/);
    await textOf(place, path);
  }
  place.put('words.pdf', 'only words');
  assert.equal((await place.write({ path: 'words.pdf', content: 'others' }))['bytes_written'], 6);
});

test('an interrupt ends the reading of a document', async () => {
  await assert.rejects(extractDocument('pdf', Buffer.from('%PDF-1.4'), AbortSignal.abort()), { name: 'AbortError' });
});
