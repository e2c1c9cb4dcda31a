import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../api/meta/manual-clock.fixture.ts';
import { CONTROLLER_NAMES, ControllerManagerLease, controllersIn } from './optional-controllers.ts';
import { givenControllers } from './given-controllers.fixture.ts';

describe('a list of controllers', () => {
  it.each([
    [['*'], [...CONTROLLER_NAMES]],
    [[], []],
    [['-*'], []],
    [['namespace-controller'], ['namespace-controller']],
    [['*', '-garbage-collector-controller'], CONTROLLER_NAMES.slice(1)],
    [['*', '-garbagecollector'], CONTROLLER_NAMES.slice(1)],
  ])('%j means those', (list, names) => {
    expect(controllersIn(list)).toEqual(new Set(names));
  });

  it('with a name that is none is refused, and told which there are', () => {
    expect(controllersIn(['*', '-nobody'])).toContain('"nobody" is no controller');
    expect(controllersIn(['constructor'])).toContain('"constructor" is no controller');
  });
});

describe('a kube-controller-manager', () => {
  it('is at work from when it takes its lease until that runs out', async () => {
    const { post, patch, objects, clock } = await givenControllers();
    const held = new ControllerManagerLease(objects, clock);
    expect(held.isHeld).toBe(false);
    const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
    const lease = (renewedMs: number, holderIdentity: string) => ({
      kind: 'Lease',
      apiVersion: 'coordination.k8s.io/v1',
      metadata: { name: 'kube-controller-manager' },
      spec: {
        holderIdentity,
        leaseDurationSeconds: 15,
        renewTime: new Date(renewedMs).toISOString().replace('Z', '000Z'),
      },
    });
    expect((await post(leases, lease(clock.now(), 'node-1'))).code).toBe(201);
    expect(held.isHeld).toBe(true);
    clock.advance(15_000);
    expect(held.isHeld).toBe(false);
    const renew = (holder: string) => {
      const { spec } = lease(clock.now(), holder);
      return patch(`${leases}/kube-controller-manager`, 'merge', { spec });
    };
    expect((await renew('node-1')).code).toBe(200);
    expect(held.isHeld).toBe(true);
    expect((await renew('')).code).toBe(200);
    expect(held.isHeld).toBe(false);
  });

  it('that does not run holds nothing', () => {
    const held = new ControllerManagerLease({ get: () => undefined }, new ManualClock());
    expect(held.isHeld).toBe(false);
  });
});
