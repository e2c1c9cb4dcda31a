/**
 * kube-scheduler with the feature gate CoordinatedLeaderElection: it stands as a candidate, and leads when
 * the server has made its Lease; a candidate that emulates an older version is preferred to it.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { isJsonObject, type JsonObject, listAt, objectAt } from '../../api/json/json.ts';
import { adminClient } from '../support/admin-client.ts';
import type { RunningCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { needs } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { componentFiles, kubeconfigOf, startComponent } from './component.ts';

const PATIENCE = { everyMs: 100 };
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler';
const CANDIDATES = '/apis/coordination.k8s.io/v1beta1/namespaces/kube-system/leasecandidates';
const GATE = '--feature-gates=CoordinatedLeaderElection=true';

const program = await needs('kube-scheduler');

describe.skipIf(program === undefined)('a leader that the server chooses', () => {
  const files = componentFiles();
  const server = serverForThisFile({
    args: [
      '--authorization-mode=RBAC',
      `--token-auth-file=${files.tokens}`,
      '--runtime-config=coordination.k8s.io/v1beta1=true',
      GATE,
    ],
  });
  let scheduler: RunningCommand | undefined;
  beforeAll(async () => {
    const kubeconfig = kubeconfigOf(files, server(), 'system:kube-scheduler');
    scheduler = await startComponent(program ?? '', kubeconfig, [GATE]);
  });
  afterAll(async () => {
    scheduler?.kill();
    await scheduler?.ended;
  });

  it('is a component that stands as a candidate, and takes the Lease that was made for it', async () => {
    const client = adminClient(server());
    const held = await eventually('the scheduler leads', () => acquired(client), PATIENCE);
    const { body } = await client.get(CANDIDATES);
    const [candidate] = isJsonObject(body) ? listAt(body, 'items').filter(isJsonObject) : [];
    expect(held).toMatchObject({
      strategy: 'OldestEmulationVersion',
      holderIdentity: objectAt(candidate, 'metadata')?.['name'],
    });
    expect(objectAt(candidate, 'spec')).toMatchObject({
      leaseName: 'kube-scheduler',
      binaryVersion: expect.stringMatching(/^1\.36\.\d+$/) as unknown,
      emulationVersion: '1.36.0',
    });
    client.close();
  });

  it('gives way to a candidate that emulates an older version', async () => {
    const client = adminClient(server());
    const spec = {
      ...{ leaseName: 'kube-scheduler', binaryVersion: '1.36.0', emulationVersion: '1.35.0' },
      strategy: 'OldestEmulationVersion',
    };
    const url = `${CANDIDATES}/older`;
    const renewTime = (): string => new Date().toISOString().replace('Z', '000Z');
    const metadata = { name: 'older' };
    const made = { kind: 'LeaseCandidate', metadata, spec: { ...spec, renewTime: renewTime() } };
    expect((await client.post(CANDIDATES, made)).status).toBe(201);
    // A candidate that is there says so whenever it is asked.
    const answering = async (): Promise<true | undefined> => {
      await client.patch(url, { spec: { renewTime: renewTime() } }, 'merge-patch');
      const { body } = await client.get(LEASE);
      const lease = isJsonObject(body) ? objectAt(body, 'spec') : undefined;
      const isTold = lease?.['preferredHolder'] === 'older';
      return isTold || lease?.['holderIdentity'] === 'older' ? true : undefined;
    };
    expect(await eventually('the older one is preferred', answering, PATIENCE)).toBe(true);
    const { body } = await eventually(
      'the older one is made the holder',
      async () => {
        await answering();
        const lease = await client.get(LEASE);
        const said = isJsonObject(lease.body) ? objectAt(lease.body, 'spec') : undefined;
        return said?.['holderIdentity'] === 'older' ? lease : undefined;
      },
      PATIENCE,
    );
    expect(body).not.toHaveProperty('spec.preferredHolder');
    client.close();
  });
});

const SCHEDULERS_SECONDS = 15;

/** The spec of the Lease, once its holder has renewed it by its own time in the place of the server's. */
async function acquired(client: ReturnType<typeof adminClient>): Promise<JsonObject | undefined> {
  const { body } = await client.get(LEASE);
  const spec = isJsonObject(body) ? objectAt(body, 'spec') : undefined;
  return spec?.['leaseDurationSeconds'] === SCHEDULERS_SECONDS ? spec : undefined;
}
