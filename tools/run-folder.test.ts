import { basename, dirname } from 'node:path';
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';

it('tests make temporary files in a folder that goes with their run', () => {
  expect(basename(tmpdir())).toMatch(/^everwatch-tests-/);
  const { EVERWATCH_E2E_CACHE: kept = '' } = process.env;
  expect(kept).not.toContain(basename(tmpdir()));
  expect(kept).not.toBe(dirname(kept));
});
