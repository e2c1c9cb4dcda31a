/** That THREAT_MODEL.md tells the truth about the tests: what it lists is tested, what is tested it lists. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = 'e2e/security';
const CVE = /CVE-\d{4}-\d+/g;
const ROW = /^\| (CVE-\d{4}-\d+) \|.*\| \[[\w-]+\]\((.+)\) \|$/gm;

function text(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

const rows = [...text('THREAT_MODEL.md').matchAll(ROW)].map(([, cve = '', file = '']) => {
  return { cve, file };
});

it('has a test of that name for each CVE in its tables', () => {
  expect(rows.length).toBeGreaterThan(20);
  const missing = rows.filter(({ cve, file }) => !testNames(file).includes(cve));
  expect(missing).toEqual([]);
});

it('names every CVE that is tested', () => {
  const files = readdirSync(join(ROOT, FOLDER)).filter((name) => name.endsWith('.test.ts'));
  const tested = files.flatMap((name) => testNames(`${FOLDER}/${name}`));
  const listed = new Set(rows.map(({ cve }) => cve));
  expect(tested.filter((cve) => !listed.has(cve))).toEqual([]);
});

/** The CVEs in names of tests and in the tables that name them; comments do not count. */
function testNames(file: string): readonly string[] {
  const code = text(file).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  return code.match(CVE) ?? [];
}
