import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/json/json.ts';
import { givenControlPlane } from '../registry/given-registry.fixture.ts';
import { givenAuthenticated } from '../request/given.fixture.ts';
import { ensureFlowDefaults } from '../controllers/flow-control/flow-defaults.ts';
import { FlowControl, type Turn, type TurnListener } from './flow-control.ts';
import type { PriorityLevel } from './priority-level.ts';

const AUTHENTICATED = ['system:authenticated'];
const FLOW_API = '/apis/flowcontrol.apiserver.k8s.io/v1';

async function given(serverSeats = 600) {
  const plane = await givenControlPlane();
  const { followed, objects, clock } = plane;
  const flowControl = new FlowControl({
    followed,
    objects,
    clock,
    serverSeats,
    requestTimeoutMs: 60_000,
    thread: { now: () => 0, nextTurn: () => undefined },
  });
  const letIn: Turn[] = [];
  const turnedAway: Turn[] = [];
  const listener: TurnListener = {
    letIn: (turn) => void letIn.push(turn),
    turnAway: (turn) => void turnedAway.push(turn),
  };
  function begin(url: string, name = 'jane', groups: readonly string[] = AUTHENTICATED): Turn {
    const { request } = givenAuthenticated({ url }, { name, groups });
    request.received(clock.now());
    return flowControl.begin(request, listener);
  }
  const level = (name: string): PriorityLevel => {
    const found = [...flowControl.levels].find((one) => one.name === name);
    if (found === undefined) throw new Error(`there is no level ${name}`);
    return found;
  };
  return { ...plane, flowControl, begin, letIn, turnedAway, level };
}

async function givenDefaults(serverSeats?: number) {
  const made = await given(serverSeats);
  await ensureFlowDefaults(made);
  return made;
}

const CONFIG_MAPS = '/api/v1/namespaces/shop/configmaps/a';

describe('flow control', () => {
  it('has the mandatory levels where no user has made any', async () => {
    const { begin, level } = await given();

    expect(begin(CONFIG_MAPS).flow.level.name).toBe('catch-all');
    expect(begin(CONFIG_MAPS, 'admin', ['system:masters']).flow.level.name).toBe('exempt');
    expect(level('catch-all').nominal).toBe(600);
  });

  it('puts requests where upstream puts them, with its defaults', async () => {
    const { begin } = await givenDefaults();
    const levelOf = (url: string, name: string, ...groups: string[]): string =>
      begin(url, name, [...AUTHENTICATED, ...groups]).flow.level.name;
    const serviceAccount = 'system:serviceaccount:shop:web';

    expect(levelOf(CONFIG_MAPS, 'jane')).toBe('global-default');
    expect(levelOf('/healthz', 'jane')).toBe('exempt');
    expect(levelOf('/api/v1/pods', 'system:node:n1', 'system:nodes')).toBe('system');
    expect(levelOf('/api/v1/nodes/n1/status', 'system:node:n1', 'system:nodes')).toBe('node-high');
    expect(levelOf(CONFIG_MAPS, 'system:kube-scheduler')).toBe('workload-high');
    expect(levelOf(CONFIG_MAPS, serviceAccount, 'system:serviceaccounts')).toBe('workload-low');
  });

  it('divides the seats of the server by shares, as upstream does for its defaults', async () => {
    const { level } = await givenDefaults(600);
    const nominal = (name: string): number => level(name).nominal;

    expect(nominal('system')).toBe(Math.ceil((600 * 30) / 245));
    expect(nominal('workload-low')).toBe(Math.ceil((600 * 100) / 245));
    expect(nominal('catch-all')).toBe(Math.ceil((600 * 5) / 245));
    expect(nominal('exempt')).toBe(0);
    const lent = Math.round(nominal('workload-low') * 0.9);
    expect(level('workload-low').lower).toBe(nominal('workload-low') - lent);
  });

  it('goes by a change of the configuration from the next request on', async () => {
    const { begin, post } = await givenDefaults();
    expect(begin(CONFIG_MAPS).flow.schema).toBe('global-default');

    expect((await post(`${FLOW_API}/flowschemas`, schemaFor('jane'))).code).toBe(201);

    expect(begin(CONFIG_MAPS).flow.schema).toBe('jane-first');
    expect(begin(CONFIG_MAPS, 'omar').flow.schema).toBe('global-default');
  });

  it('gives the seat that is free to the user that waits alone, before the backlog of another', async () => {
    const { begin, letIn, flowControl, level } = await givenDefaults(60);
    const seats = level('global-default').queues.seats;
    const flood = Array.from({ length: seats + 400 }, () => begin(CONFIG_MAPS, 'flood'));
    const states = new Set(flood.map(({ ticket }) => ticket.state));
    expect(states).toEqual(new Set(['executing', 'waiting', 'rejected']));

    const quiet = begin(CONFIG_MAPS, 'quiet');
    expect(quiet.ticket.state).toBe('waiting');
    for (const turn of flood.filter(({ ticket }) => ticket.state === 'executing').slice(0, 1)) {
      flowControl.end(turn);
    }
    for (let served = 0; served < 8; served += 1) {
      const next = letIn.at(-1);
      if (next === undefined || letIn.includes(quiet)) break;
      flowControl.end(next);
    }

    // Its queue begins at the clock of now, as the flood's queues did that were served first.
    expect(letIn).toContain(quiet);
    expect(level('global-default').queues.waiting).toBeGreaterThan(100);
  });

  it('turns a request away that has waited a quarter of its time', async () => {
    const { begin, turnedAway, clock, flowControl, level } = await givenDefaults(60);
    const { seats } = level('global-default').queues;
    for (let at = 0; at < seats; at += 1) begin(CONFIG_MAPS);
    const late = begin(CONFIG_MAPS);
    expect(late.ticket.state).toBe('waiting');

    clock.advance(14_900);
    expect(turnedAway).toEqual([]);
    clock.advance(300);

    expect(turnedAway).toEqual([late]);
    expect(late.flow.figures.rejected['time-out']).toBe(1);
    expect(flowControl.retryAfterOf(late)).toBe(1);
  });

  it('lets no request in whose client has gone', async () => {
    const { begin, letIn, clock, flowControl, level } = await givenDefaults(60);
    const { seats } = level('global-default').queues;
    const served = Array.from({ length: seats }, () => begin(CONFIG_MAPS));
    const late = begin(CONFIG_MAPS);
    expect(late.ticket.state).toBe('waiting');
    flowControl.end(late);
    for (const turn of served) flowControl.end(turn);
    clock.advance(200);

    expect(letIn).toEqual([]);
    expect(late.flow.figures.rejected.cancelled).toBe(1);
    expect(begin(CONFIG_MAPS).ticket.state).toBe('executing');
  });

  it('lends the seats of levels that want none', async () => {
    const { begin, level, clock, flowControl } = await givenDefaults(60);
    const { nominal } = level('global-default');
    for (let at = 0; at < 100; at += 1) begin(`${CONFIG_MAPS}${String(at)}`, `user-${String(at)}`);
    flowControl.start();
    clock.advance(10_000);
    flowControl.stop();

    expect(level('global-default').queues.seats).toBeGreaterThan(nominal * 2);
    expect(level('global-default').queues.executing.size).toBeGreaterThan(nominal * 2);
    expect(level('workload-low').queues.seats).toBeGreaterThanOrEqual(level('workload-low').lower);
  });

  it('serves the requests of a level to the end that was deleted, and forgets it then', async () => {
    const { begin, del, post, flowControl } = await givenDefaults();
    const names = () => [...flowControl.levels].map(({ name }) => name);
    await post(`${FLOW_API}/prioritylevelconfigurations`, levelNamed('mine'));
    await post(`${FLOW_API}/flowschemas`, {
      ...schemaFor('jane'),
      ...{ spec: spec('jane', 'mine') },
    });
    const turn = begin(CONFIG_MAPS);
    expect(turn.flow.level.name).toBe('mine');

    await del(`${FLOW_API}/prioritylevelconfigurations/mine`);
    expect(begin(CONFIG_MAPS).flow.level.name).toBe('global-default');
    expect(names()).toContain('mine');
    flowControl.end(turn);
    expect(names()).not.toContain('mine');
  });

  it('costs little where a seat is free', async () => {
    const { begin, flowControl } = await givenDefaults();
    for (let round = 0; round < 100; round += 1) flowControl.end(begin(CONFIG_MAPS));

    const turn = begin(CONFIG_MAPS);
    expect(turn.ticket.state).toBe('executing');
    expect(turn.flow.level.queues.executing.size).toBe(1);
    flowControl.end(turn);
    flowControl.end(turn);
    expect(turn.flow.level.queues.seatsInUse).toBe(0);
    expect(turn.flow.level.queues.dispatched).toBe(101);
  });
});

function spec(user: string, level: string): JsonObject {
  const resourceRules = [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] },
  ];
  return {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence: 500,
    rules: [{ subjects: [{ kind: 'User', user: { name: user } }], resourceRules }],
  };
}

function schemaFor(user: string): JsonObject {
  return {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'FlowSchema',
    metadata: { name: `${user}-first` },
    spec: spec(user, 'workload-high'),
  };
}

function levelNamed(name: string): JsonObject {
  return {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'PriorityLevelConfiguration',
    metadata: { name },
    spec: {
      type: 'Limited',
      limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' } },
    },
  };
}
