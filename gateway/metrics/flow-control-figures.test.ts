import { expect, it } from 'vitest';
import { FlowControl } from '../../actors/flow-control/flow-control.ts';
import { ensureFlowDefaults } from '../../actors/controllers/flow-control/flow-defaults.ts';
import { givenAuthenticated } from '../../actors/request/given.fixture.ts';
import { givenControlPlane } from '../../actors/registry/given-registry.fixture.ts';
import { measureFlowControl } from './flow-control-figures.ts';
import { Metrics } from './metrics.ts';

const SCHEMA = 'flow_schema="global-default",priority_level="global-default"';
const LEVEL = 'priority_level="global-default"';

async function given({ showHiddenMetrics = false } = {}) {
  const plane = await givenControlPlane();
  await ensureFlowDefaults(plane);
  const { followed, objects, clock } = plane;
  const thread = { now: () => 0, nextTurn: () => undefined };
  const parts = { followed, objects, clock, thread };
  const flowControl = new FlowControl({ ...parts, serverSeats: 24, requestTimeoutMs: 60_000 });
  const metrics = new Metrics({
    ...{ clock, isServed: () => true },
    shown: { showHiddenMetrics, disabledMetrics: [], allowMetricLabels: new Map() },
  });
  measureFlowControl(metrics, flowControl);
  const begin = (method: string, name: string) => {
    const url = '/api/v1/namespaces/shop/configmaps/a';
    const { request } = givenAuthenticated(
      { method, url },
      { name, groups: ['system:authenticated'] },
    );
    request.received(clock.now());
    return flowControl.begin(request, { letIn: () => undefined, turnAway: () => undefined });
  };
  const lines = async (start: string) => {
    const text = await metrics.format();
    return text.split('\n').filter((line) => line.startsWith(start));
  };
  const seats = [...flowControl.levels].find(({ name }) => name === 'global-default')?.current ?? 0;
  return { flowControl, begin, lines, clock, seats };
}

it('tells which request sits, which waits and when the next one is due', async () => {
  const { flowControl, begin, lines, clock, seats } = await given();
  expect(seats).toBe(2);
  const [first] = Array.from({ length: seats }, () => begin('GET', 'ann'));
  expect(await lines('apiserver_flowcontrol_next_s_bounds{bound=')).toEqual([]);
  begin('PUT', 'bob');
  begin('GET', 'bob');
  expect(await lines('apiserver_current_inqueue_requests{')).toEqual([
    'apiserver_current_inqueue_requests{request_kind="mutating"} 1',
    'apiserver_current_inqueue_requests{request_kind="readOnly"} 1',
  ]);
  expect(await lines('apiserver_flowcontrol_request_concurrency_in_use')).toEqual([]);
  expect(await lines('hidden_metrics_total')).toEqual(['hidden_metrics_total 1']);
  expect(await lines('apiserver_flowcontrol_next_s_bounds{bound=')).toEqual([
    `apiserver_flowcontrol_next_s_bounds{bound="min",${LEVEL}} 0`,
    `apiserver_flowcontrol_next_s_bounds{bound="max",${LEVEL}} 0`,
  ]);

  // Two seats for a second, shared by four queues: each request lies in one of its own.
  clock.advance(1_000);
  if (first !== undefined) flowControl.end(first);
  expect(await lines(`apiserver_flowcontrol_dispatch_r{${LEVEL}`)).toEqual([
    `apiserver_flowcontrol_dispatch_r{${LEVEL}} 0.5`,
  ]);
  expect(await lines(`apiserver_flowcontrol_latest_s{${LEVEL}`)).toEqual([
    `apiserver_flowcontrol_latest_s{${LEVEL}} 0`,
  ]);
  // Whose queue comes first is no matter here.
  const waiting = await lines('apiserver_current_inqueue_requests{');
  expect(waiting.map((line) => line.slice(-1)).sort()).toEqual(['0', '1']);
});

it('tells under older names too, when it is told to', async () => {
  const { begin, lines, seats } = await given({ showHiddenMetrics: true });
  for (let seat = 0; seat < seats; seat += 1) begin('GET', 'ann');
  expect(await lines(`apiserver_flowcontrol_request_concurrency_in_use{${SCHEMA}`)).toEqual([
    `apiserver_flowcontrol_request_concurrency_in_use{${SCHEMA}} ${String(seats)}`,
  ]);
  expect(await lines('hidden_metrics_total')).toEqual(['hidden_metrics_total 0']);
});
