/**
 * In which media type each verb of each sort of resource answers, and what it refuses: against what
 * kube-apiserver answered to the same requests. `npm run media` asks it again.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { readKubeconfig } from '../support/kubeconfig.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { converse, headersOf, type Facts } from './conversation.ts';
import { differences } from './facts.ts';

const server = serverForThisFile({ args: ['--authorization-mode=RBAC'] });

describe('media types', () => {
  it('are answered as kube-apiserver does', async () => {
    const theirs = JSON.parse(
      readFileSync(join(import.meta.dirname, 'answers.json'), 'utf8'),
    ) as Facts;
    const ours = await converse(readKubeconfig(server().kubeconfig));
    expect(Object.keys(ours)).toEqual(Object.keys(theirs));
    expect(differences(ours, theirs, headersOf)).toEqual([]);
  });
});
