/**
 * A server with the feature gate StorageVersionAPI says in which versions it stores its resources, before it is
 * ready; kube-controller-manager takes away what servers said that are gone.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';

import { flagsForComponents } from '../cluster/components.ts';
import { adminClient, type AdminClient } from '../support/admin-client.ts';
import type { RunningCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { at, type JsonObject, listAt, textAt } from '../support/json.ts';
import { describeWith } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { componentFiles, kubeconfigOf, startComponent } from './component.ts';

const PATIENCE = { everyMs: 100 };
const PATH = '/apis/internal.apiserver.k8s.io/v1alpha1/storageversions';
const GATE = '--feature-gates=StorageVersionAPI=true,APIServerIdentity=true';

await describeWith('kube-controller-manager', 'what a server stores', (program) => {
  const files = componentFiles();
  const server = serverForThisFile({
    args: [
      ...flagsForComponents(files),
      '--runtime-config=internal.apiserver.k8s.io/v1alpha1=true',
      GATE,
    ],
  });
  let controllers: RunningCommand | undefined;
  let client: AdminClient;
  beforeAll(async () => {
    client = adminClient(server());
    const kubeconfig = kubeconfigOf(files, server(), 'system:kube-controller-manager');
    controllers = await startComponent(program, kubeconfig, [
      ...['--controllers=storageversion-garbage-collector-controller', '--leader-elect=false'],
      ...['--use-service-account-credentials=true', GATE],
    ]);
  });
  afterAll(async () => {
    client.close();
    controllers?.kill();
    await controllers?.ended;
  });

  const statusOf = async (name: string): Promise<JsonObject> => {
    const { body } = await client.get(`${PATH}/${name}`);
    return at(body, 'status') as JsonObject;
  };

  it('stands in StorageVersions when the server is ready', async () => {
    const { body: ready } = await client.get('/readyz?verbose');
    expect(ready).toContain('[+]poststarthook/built-in-resources-storage-version-updater ok');
    const { body } = await client.get(PATH);
    const all = listAt(body, 'items');
    expect(all.length).toBeGreaterThan(50);
    const identities = new Set<string>();
    for (const one of all) {
      const [said] = listAt(one, 'status', 'storageVersions');
      identities.add(textAt(said, 'apiServerID'));
      expect(at(one, 'status', 'commonEncodingVersion')).toBe(at(said, 'encodingVersion'));
      expect(at(one, 'status', 'conditions')).toMatchObject([
        { type: 'AllEncodingVersionsEqual', status: 'True' },
      ]);
    }
    const [identity = ''] = identities;
    expect([...identities]).toEqual([identity]);
    const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
    expect((await client.get(`${leases}/${identity}`)).status).toBe(200);
    // As kube-apiserver 1.36 says it.
    expect(await statusOf('autoscaling.horizontalpodautoscalers')).toMatchObject({
      commonEncodingVersion: 'autoscaling/v2',
      storageVersions: [
        {
          decodableVersions: ['autoscaling/v2', 'autoscaling/v1'],
          servedVersions: ['autoscaling/v2', 'autoscaling/v1'],
        },
      ],
    });
  });

  it('is what the servers say that are there', async () => {
    const { body } = await client.get(`${PATH}/core.configmaps`);
    const object = body as JsonObject;
    const said = listAt(object, 'status', 'storageVersions');
    const gone = {
      ...{ apiServerID: 'apiserver-gone', encodingVersion: 'v2' },
      ...{ decodableVersions: ['v2'], servedVersions: ['v2'] },
    };
    const status = { storageVersions: [...said, gone] };
    const { status: code } = await client.put(`${PATH}/core.configmaps/status`, {
      ...object,
      status,
    });
    expect(code).toBe(200);
    await eventually(
      'the server that is gone is taken away',
      async () => {
        const now = await statusOf('core.configmaps');
        return listAt(now, 'storageVersions').length === 1 || undefined;
      },
      PATIENCE,
    );
    expect(await statusOf('core.configmaps')).toMatchObject({ commonEncodingVersion: 'v1' });
  });
});
