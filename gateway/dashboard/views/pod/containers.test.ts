import { expect, it } from 'vitest';
import { containersOf, defaultContainer } from './containers.ts';

type GivenPod = Parameters<typeof containersOf>[0];

// A pod as it comes; members that these functions do not read are left out.
const POD = {
  metadata: { annotations: { 'kubectl.kubernetes.io/default-container': 'web' } },
  spec: {
    initContainers: [
      { name: 'wait', image: 'wait:1', resources: {} },
      { name: 'mesh', image: 'mesh:1', restartPolicy: 'Always', resources: {} },
    ],
    containers: [
      { name: 'log', image: 'log:1', resources: {} },
      {
        name: 'web',
        image: 'web:1',
        ports: [{ containerPort: 80, name: 'http' }],
        resources: { requests: { cpu: '100m', memory: '64Mi' } },
      },
    ],
  },
  status: {
    initContainerStatuses: [
      { name: 'wait', lastState: {}, state: { terminated: { exitCode: 0, reason: 'Completed' } } },
    ],
    containerStatuses: [
      {
        name: 'web',
        ready: true,
        restartCount: 3,
        state: { running: { startedAt: '2026-11-26T10:00:00Z' } },
        lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } },
      },
      {
        name: 'log',
        ready: false,
        lastState: {},
        state: { waiting: { reason: 'CrashLoopBackOff' } },
      },
    ],
  },
} as unknown as GivenPod;

it('containers of all sorts are told with their states', () => {
  const told = containersOf(POD).map(({ name, sort, state, previous }) => [
    ...[name, sort, state, previous],
  ]);
  expect(told).toEqual([
    ['wait', 'init', 'Completed', ''],
    ['mesh', 'sidecar', '', ''],
    ['log', 'main', 'CrashLoopBackOff', ''],
    ['web', 'main', 'Running', 'OOMKilled, exit code 137'],
  ]);
  expect(containersOf(POD)[3]).toMatchObject({
    isReady: true,
    isRunning: true,
    restarts: 3,
    requests: 'cpu 100m, memory 64Mi',
    ports: [{ port: 80, name: 'http', protocol: 'TCP' }],
  });
});

it('the container that is meant is the one of the annotation, or the first', () => {
  expect(defaultContainer(POD)).toBe('web');
  expect(defaultContainer({ ...POD, metadata: {} })).toBe('log');
  expect(defaultContainer({ metadata: {} })).toBe('');
});
