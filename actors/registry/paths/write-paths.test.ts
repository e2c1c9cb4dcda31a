import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { GET } from '../reads/get.ts';
import { LIST } from '../reads/list.ts';
import { WATCH } from '../reads/watch.ts';
import { APPLY } from './apply.ts';
import { CREATE } from './create.ts';
import { DELETE } from './delete.ts';
import { PATCH } from './patch.ts';
import { UPDATE } from './update.ts';

const DOCUMENT = new URL('../../../ARCHITECTURE.md', import.meta.url);

/** `- [`create`](…): options, … | convert what is stored, …`, in one line. */
function described(): string[] {
  const text = readFileSync(DOCUMENT, 'utf8');
  const section = text.slice(text.indexOf('### The write path'), text.indexOf('### gateway'));
  return section
    .replaceAll(/\n {2}/g, ' ')
    .split('\n')
    .filter((line) => line.startsWith('- ['))
    .map((line) => line.replace(/^- \[`(\w+)`\]\([^)]*\)/, '$1'));
}

it('ARCHITECTURE.md lists the stages of each verb in their order', () => {
  const reads = [GET, LIST, WATCH].map(({ name, stages }) => {
    return `${name}: ${stages.map((one) => one.name).join(', ')}`;
  });
  const paths = [CREATE, UPDATE, PATCH, APPLY, DELETE].map(({ name, once, attempt }) => {
    const [before, behind] = [once, attempt].map((stages) =>
      stages.map((one) => one.name).join(', '),
    );
    return `${name}: ${before ?? ''} | ${behind ?? ''}`;
  });
  expect(described()).toEqual([...paths, ...reads]);
});
