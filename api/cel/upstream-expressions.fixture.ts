/**
 * What Kubernetes' own tests of expressions are about: every text in them is taken for an
 * expression, because most are and the others have to be refused. They are read where Go keeps the
 * modules that the oracle is built of.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ORACLE = join(import.meta.dirname, '../../e2e/oracles/cel');

const TESTS: Readonly<Record<string, readonly string[]>> = {
  'k8s.io/apiserver': ['pkg/cel', 'pkg/admission/plugin'],
  'k8s.io/apiextensions-apiserver': [
    'pkg/apiserver/schema/cel',
    'pkg/apis/apiextensions/validation',
  ],
};

const LITERAL = /`([^`]*)`|("(?:[^"\\\n]|\\.)*")/g;
const CHARACTERS_MAX = 2000;

/**
 * What is different because of the test: the oracle cannot show `self`, and a schema with times in
 * it declares their types a second time.
 */
const LEFT_OUT = /^(?:self|duration|timestamp)$/;

export function upstreamExpressions(): readonly string[] {
  const found = new Set<string>();
  for (const [module, folders] of Object.entries(TESTS)) {
    for (const file of folders.flatMap((folder) => testsIn(join(folderOf(module), folder)))) {
      for (const text of textsOf(readFileSync(file, 'utf8'))) found.add(text);
    }
  }
  return [...found].filter((text) => text.length < CHARACTERS_MAX && !LEFT_OUT.test(text)).sort();
}

function testsIn(folder: string): string[] {
  return readdirSync(folder, { encoding: 'utf8', recursive: true })
    .filter((name) => name.endsWith('_test.go'))
    .map((name) => join(folder, name));
}

function folderOf(module: string): string {
  const args = ['list', '-mod=readonly', '-m', '-f', '{{.Dir}}', module];
  return execFileSync('go', args, { cwd: ORACLE, encoding: 'utf8' }).trim();
}

/** The string literals of a Go program; those with escapes that JSON has not are left out. */
function textsOf(source: string): string[] {
  return [...source.matchAll(LITERAL)].flatMap(([, raw, quoted = '""']) => {
    if (raw !== undefined) return [raw];
    try {
      return [JSON.parse(quoted) as string]; // A JSON string is a string.
    } catch {
      return [];
    }
  });
}
