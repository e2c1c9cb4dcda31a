/**
 * What is answered in CBOR, and taken, while its gate is on: against what kube-apiserver answered to the same
 * requests (`npm run media` asks it again), and with client-go, which then prefers it to all else.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { adminClient } from '../support/admin-client.ts';
import { run } from '../support/command.ts';
import { at, parseJson } from '../support/json.ts';
import { readKubeconfig } from '../support/kubeconfig.ts';
import { describeWith } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { CBOR_GATE, cborConversation, cborHeadersOf } from './cbor-conversation.ts';
import type { Facts } from './conversation.ts';
import { differences } from './facts.ts';

const server = serverForThisFile({ args: ['--authorization-mode=RBAC', CBOR_GATE] });

describe('CBOR', () => {
  it('is answered and taken as by kube-apiserver', async () => {
    const theirs = JSON.parse(
      readFileSync(join(import.meta.dirname, 'cbor-answers.json'), 'utf8'),
    ) as Facts;
    const ours = await cborConversation(readKubeconfig(server().kubeconfig));
    expect(Object.keys(ours)).toEqual(Object.keys(theirs));
    expect(differences(ours, theirs, cborHeadersOf)).toEqual([]);
  });
});

await describeWith('apply-check', 'client-go', (program) => {
  it('applies in it', async () => {
    const env = {
      ...process.env,
      KUBECONFIG: server().kubeconfig,
      KUBE_FEATURE_ClientsAllowCBOR: 'true',
      KUBE_FEATURE_ClientsPreferCBOR: 'true',
    };
    const { code, stdout, stderr } = await run(program, [], { env, timeoutMs: 100_000 });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const found = parseJson(stdout);
    expect([at(found, 'again'), at(found, 'replicas'), at(found, 'scaled')]).toEqual([true, 5, 7]);
    // What is applied in CBOR counts among patches, as upstream has it.
    const client = adminClient(server());
    const { body: figures } = await client.get('/metrics');
    client.close();
    const counted = (typeof figures === 'string' ? figures : '')
      .split('\n')
      .filter((line) => /^apiserver_request_total\{.*resource="deployments"/.test(line))
      .map((line) => /verb="(\w+)"/.exec(line)?.[1]);
    expect(counted).toContain('PATCH');
    expect(counted).not.toContain('APPLY');
  });
});
