/** A decision is found by its number: in the name of its file, in its title and in documents that link to it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = 'docs/decisions';
const names = readdirSync(join(ROOT, FOLDER)).sort();

function text(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

it('numbers decisions from 1 on without a hole', () => {
  const numbers = names.map((name) => Number(name.slice(0, 4)));
  expect(numbers).toEqual(names.map((_, index) => index + 1));
});

it.each(names)('%s has its number in its title', (name) => {
  const title = /^# (\d+)[.:] /.exec(text(`${FOLDER}/${name}`));
  expect(Number(title?.[1])).toBe(Number(name.slice(0, 4)));
});

it('links to decisions that are there, by their number', () => {
  const guides = readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`);
  const decisions = names.map((name) => `${FOLDER}/${name}`);
  const files = [...readdirSync(ROOT), ...guides, ...decisions].filter((name) =>
    name.endsWith('.md'),
  );
  const links = files.flatMap((file) => [
    ...text(file).matchAll(/\[(?:decision )?(\d+)\]\((?:[\w/.]*\/)?((\d{4})-[\w-]+\.md)/g),
  ]);
  expect(links.length).toBeGreaterThan(20);
  const wrong = links.filter(
    ([, said, name = '', number]) => Number(said) !== Number(number) || !names.includes(name),
  );
  expect(wrong.map(([link]) => link)).toEqual([]);
});
