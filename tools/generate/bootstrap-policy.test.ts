/** What is committed is what kube-apiserver's code says. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { goOracle } from '../../api/patch/go-oracle.fixture.ts';
import { generateBootstrapPolicy } from './bootstrap-policy.fixture.ts';

const oracle = await goOracle('rbac');
const COMMITTED = new URL('../../api/generated/bootstrap-policy.json', import.meta.url);

describe.skipIf(oracle === undefined)('the bootstrap policy', () => {
  it('is as it was generated', async () => {
    expect(readFileSync(COMMITTED, 'utf8')).toBe(await generateBootstrapPolicy());
  });
});
