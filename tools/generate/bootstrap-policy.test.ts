/** What is committed is what kube-apiserver's code says. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { goOracle } from '../../api/patch/go-oracle.fixture.ts';
import { generateBootstrapPolicy } from './bootstrap-policy.fixture.ts';

const oracle = await goOracle('rbac');
const committed = (name: string): string =>
  readFileSync(new URL(`../../api/generated/${name}`, import.meta.url), 'utf8');

describe.skipIf(oracle === undefined)('the bootstrap policy', () => {
  it('is as it was generated', async () => {
    const { policy, ofGates } = await generateBootstrapPolicy();
    expect(committed('bootstrap-policy.json')).toBe(policy);
    expect(committed('bootstrap-policy-of-gates.json')).toBe(ofGates);
  });
});
