import { expect, it } from 'vitest';
import { formatTime } from '../../../api/meta/clock.ts';
import { MemoryEventLog } from '../../../streams/memory/memory-event-log.ts';
import { resourceVersion } from '../../../streams/resource-version.ts';
import { systemClock, systemRandom } from '../../process/system-clock.ts';
import { parseServeOptions } from '../../flags/flags.ts';
import { type FirstObject, firstObjectsFor, writeFirstObjects } from './first-objects.ts';

const ALL = [
  'core/namespaces',
  'rbac.authorization.k8s.io/roles',
  'flowcontrol.apiserver.k8s.io/flowschemas',
];
const [NAMESPACES = '', ROLES = '', FLOWS = ''] = ALL;

it.each([
  ['nothing', [], [NAMESPACES, FLOWS]],
  ['RBAC', ['--authorization-mode=Node,RBAC'], ALL],
  ['no fairness', ['--enable-priority-and-fairness=false'], [NAMESPACES]],
  [
    'an identity',
    ['--feature-gates=APIServerIdentity=false,UnknownVersionInteroperabilityProxy=false'],
    [NAMESPACES, FLOWS],
  ],
  ['the default of a gate', ['--feature-gates=ClusterTrustBundle=false'], [NAMESPACES, FLOWS]],
  ['a gate', ['--feature-gates=ClusterTrustBundle=true'], []],
  ['all gates of a stage', ['--feature-gates=AllAlpha=true'], []],
  ['other APIs', ['--runtime-config=api/beta=true'], []],
  ['audit', ['--audit-policy-file=policy.yaml'], []],
  ['a log that is only read', ['--read-only'], []],
])('told of %s, a server is given what it would write', (_, flags, resources) => {
  const which = firstObjectsFor(parseServeOptions(flags, () => ''));
  expect(ALL.filter(which)).toEqual(resources);
});

const OBJECTS: readonly FirstObject[] = [NAMESPACES, ROLES].map((resource) => ({
  ...{ resource, path: '/one', fieldManager: 'of-test' },
  json: '{"metadata":{"uid":"{uid}","creationTimestamp":"{time}"},"at":"{time}"}',
}));
const world = { clock: systemClock, random: systemRandom };
const file = (): string => JSON.stringify(OBJECTS);

it('writes them with uids and times of their own, by one append', async () => {
  const log = new MemoryEventLog();
  await writeFirstObjects(log, (resource) => resource !== ROLES, world, file);
  const event = log.at(resourceVersion(1));
  const now = formatTime(event?.time ?? 0);
  expect(Buffer.from(event?.json ?? []).toString()).toBe(
    `{"metadata":{"uid":"${event?.uid ?? ''}","creationTimestamp":"${now}"},"at":"${now}"}`,
  );
  expect(event).toMatchObject({ user: 'system:apiserver', verb: 'create', sequence: 1 });
  expect(await log.newest()).toBe(1);
  await writeFirstObjects(log, () => true, world, file);
  expect(await log.newest()).toBe(1);
});
