/** Pods in every state that `kubectl get pods` has a word for. */
import type { JsonObject, JsonValue } from '../../../api/json/json.ts';
import { ago, condition, meta } from './cluster-object.fixture.ts';

function pod(spec: JsonObject, status: JsonObject, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: meta('web-0', metadata), spec, status };
}

const one = { containers: [{ name: 'a' }] };
const two = { containers: [{ name: 'a' }, { name: 'b' }] };
const withInits = {
  initContainers: [{ name: 'i' }, { name: 's', restartPolicy: 'Always' }, { name: 'j' }],
  ...one,
};

function running(name: string, ready = true, restarts = 0, endedAgo = 0): JsonObject {
  const lastState = restarts > 0 ? { terminated: { exitCode: 1, finishedAt: ago(endedAgo) } } : {};
  return { name, ready, restartCount: restarts, state: { running: {} }, lastState };
}

function waiting(name: string, reason: string, restarts = 0): JsonObject {
  return { name, ready: false, restartCount: restarts, state: { waiting: { reason } } };
}

function ended(name: string, terminated: JsonObject): JsonObject {
  return { name, ready: false, restartCount: 0, state: { terminated } };
}

const ready = [condition('Initialized'), condition('Ready')];
const notReady = [condition('Initialized'), condition('Ready', 'False')];
const done = { exitCode: 0, reason: 'Completed' };

export const podStates: JsonObject[] = [
  pod(one, {}),
  pod(one, {
    phase: 'Pending',
    conditions: [condition('PodScheduled', 'False', 'SchedulingGated')],
  }),
  pod(one, { phase: 'Pending', containerStatuses: [waiting('a', 'ContainerCreating')] }),
  pod(
    { ...one, nodeName: 'n1' },
    {
      phase: 'Running',
      podIPs: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }],
      conditions: ready,
      containerStatuses: [running('a')],
    },
  ),
  pod(two, { phase: 'Running', containerStatuses: [running('a'), running('b', false)] }),
  pod(two, {
    phase: 'Running',
    containerStatuses: [running('a', true, 3, 400), running('b', true, 2, 90)],
  }),
  pod(one, { phase: 'Running', containerStatuses: [waiting('a', 'CrashLoopBackOff', 7)] }),
  pod(two, {
    phase: 'Running',
    containerStatuses: [waiting('a', 'ErrImagePull'), waiting('b', 'X')],
  }),
  pod(two, {
    phase: 'Running',
    conditions: ready,
    containerStatuses: [ended('a', done), running('b')],
  }),
  pod(two, {
    phase: 'Running',
    conditions: notReady,
    containerStatuses: [ended('a', done), running('b')],
  }),
  pod(two, { containerStatuses: [ended('a', done), ended('b', { exitCode: 3, reason: 'Error' })] }),
  pod(one, { phase: 'Succeeded', containerStatuses: [ended('a', done)] }),
  pod(one, { phase: 'Failed', reason: 'Evicted' }),
  pod(one, {
    phase: 'Failed',
    containerStatuses: [ended('a', { exitCode: 137, reason: 'OOMKilled' })],
  }),
  pod(one, { phase: 'Failed', containerStatuses: [ended('a', { exitCode: 137, signal: 9 })] }),
  pod(one, { phase: 'Failed', containerStatuses: [ended('a', { exitCode: 2 })] }),
  pod(one, { phase: 'Running', containerStatuses: [running('a')] }, { deletionTimestamp: ago(5) }),
  pod(one, { phase: 'Failed', reason: 'Evicted' }, { deletionTimestamp: ago(5) }),
  pod(one, { phase: 'Running', reason: 'NodeLost' }, { deletionTimestamp: ago(5) }),
  pod(one, { phase: 'Pending', nominatedNodeName: 'n2' }, { creationTimestamp: null }),
  pod(
    { ...one, readinessGates: [{ conditionType: 'x/a' }, { conditionType: 'x/b' }] },
    {
      conditions: [condition('x/a'), condition('x/b', 'False'), condition('x/b')],
    },
  ),
  ...initStates().map((initContainerStatuses) =>
    pod(withInits, {
      phase: 'Pending',
      initContainerStatuses,
      containerStatuses: [waiting('a', '')],
    }),
  ),
  ...initStates().map((initContainerStatuses) =>
    pod(withInits, {
      phase: 'Running',
      conditions: ready,
      initContainerStatuses,
      containerStatuses: [running('a', true, 1, 30)],
    }),
  ),
];

function initStates(): JsonValue[][] {
  const sidecar = { ...running('s', true, 4, 200), started: true };
  return [
    [running('i', false)],
    [waiting('i', 'PodInitializing'), waiting('s', 'PodInitializing')],
    [waiting('i', 'CrashLoopBackOff', 5)],
    [ended('i', { exitCode: 1, reason: 'Error' })],
    [ended('i', { exitCode: 1, signal: 6 })],
    [ended('i', { exitCode: 1 })],
    [ended('i', done), running('s', true, 2, 100)],
    [ended('i', done), sidecar, running('j', false, 3, 50)],
    [ended('i', done), sidecar, ended('j', done)],
    [ended('i', done), { ...sidecar, ready: false }, ended('j', done)],
    [ended('i', done), ended('s', { exitCode: 1, reason: 'Error' }), ended('j', done)],
    [ended('i', done), { ...ended('s', { exitCode: 2 }), started: true }, ended('j', done)],
  ];
}
