/**
 * A log in which every object comes before what it needs: a recorder lists one resource after the
 * other, so this can happen with each of them, and here it happens with all.
 */
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { EmbeddedEventLog } from '../../streams/embedded/embedded-event-log.ts';
import type { LoggedChange } from '../../streams/event.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import type { AdminClient } from '../support/admin-client.ts';
import type { JsonObject } from '../support/json.ts';
import { effectiveOf, recordsIn } from './everwatch.ts';

export const WIDGETS = '/apis/example.com/v1/namespaces/late/widgets';
export const MAPS = '/api/v1/namespaces/late/configmaps';
export const PODS = '/api/v1/namespaces/late/pods';

const definition: JsonObject = {
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ],
  },
};

/**
 * Objects that need a namespace, a definition or a priority class, a Pod that is debugged, limits that
 * came behind it, and a ConfigMap that is owned by an object of before, by one of after, and by one that is not there.
 */
export async function writeNeedy(client: AdminClient): Promise<void> {
  const make = async (path: string, body: JsonObject): Promise<JsonObject> => {
    const { status, body: told } = await client.post(path, body);
    if (status !== 201) throw new Error(`POST ${path}: ${String(status)} ${JSON.stringify(told)}`);
    return told as JsonObject; // Objects are answered with objects.
  };
  await make('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  await make('/api/v1/namespaces', { metadata: { name: 'late' } });
  const widget = { apiVersion: 'example.com/v1', kind: 'Widget' };
  const { metadata } = await make(WIDGETS, { ...widget, metadata: { name: 'one' } });
  const { uid } = metadata as { uid: string };
  const ownerReferences = [
    { ...widget, name: 'one', uid },
    { ...widget, name: 'never', uid: '9d8b3c1e-0000-4000-8000-000000000000' },
  ];
  await make(MAPS, { metadata: { name: 'owned', ownerReferences } });
  await make('/apis/scheduling.k8s.io/v1/priorityclasses', {
    metadata: { name: 'urgent' },
    value: 1000,
  });
  const containers = [{ name: 'main', image: 'main' }];
  const spec = { containers, priorityClassName: 'urgent' };
  await make(PODS, { metadata: { name: 'debugged' }, spec });
  // Made behind the Pod, it says nothing of it.
  await make('/api/v1/namespaces/late/limitranges', {
    metadata: { name: 'limits' },
    spec: { limits: [{ type: 'Container', default: { cpu: '2' } }] },
  });
  for (const name of ['first', 'second']) {
    const path = `${PODS}/debugged/ephemeralcontainers`;
    const ephemeralContainers = [{ name, image: 'debug' }];
    const { status, body } = await client.patch(
      path,
      { spec: { ephemeralContainers } },
      'strategic-merge-patch',
    );
    if (status !== 200) throw new Error(`${path}: ${String(status)} ${JSON.stringify(body)}`);
  }
}

/** Writes the newest state of all objects of one directory into another one, the last object first. */
export async function reverse(
  source: string,
  target: string,
  isWanted: (event: LoggedChange) => boolean = () => true,
): Promise<void> {
  const newest = new Map(
    effectiveOf(await recordsIn(source)).map((event) => [`${event.resource} ${event.path}`, event]),
  );
  const events = [...newest.values()]
    .filter((one) => one.type !== 'deleted' && isWanted(one))
    .reverse();
  mkdirSync(target, { recursive: true });
  copyFileSync(join(source, 'version'), join(target, 'version'));
  const log = new EmbeddedEventLog(join(target, 'log'));
  const made = events.map((event, index) => ({
    ...event,
    type: 'added' as const,
    writer: 'reversed',
    sequence: index + 1,
    previousResourceVersion: resourceVersion(0),
    requires: [],
  }));
  await log.append(made);
  await log.close();
}
