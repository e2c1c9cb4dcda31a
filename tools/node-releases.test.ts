import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const read = (path: string): string => readFileSync(join(import.meta.dirname, '..', path), 'utf8');

it('the image has the release of Node on which the unit tests run beside the floor', () => {
  const { optionalDependencies: pinned } = JSON.parse(read('.ci/node-lts/package.json')) as {
    readonly optionalDependencies: Readonly<Record<string, string>>;
  };
  const image = [...read('deploy/Dockerfile').matchAll(/^FROM node:([\d.]+)-/gm)];
  expect(image.map(([, release]) => release)).not.toEqual([]);
  const releases = [...Object.values(pinned), ...image.map(([, release]) => release)];
  expect(new Set(releases).size).toBe(1);
});
