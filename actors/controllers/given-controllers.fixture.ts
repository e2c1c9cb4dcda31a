/** For tests of controllers: a whole control plane without doors, and what controllers are given. */
import type { KubeObject } from '../../api/meta/object-meta.ts';
import { givenControlPlane } from '../registry/given-registry.fixture.ts';
import { KindsServed } from '../served-resources/served-kinds.ts';
import type { Controller, ControllerParts } from './controller-parts.ts';

/** Turns of the event loop that are waited for something to come about. */
const PATIENCE = 10_000;
const TICK_MS = 10;

export async function givenControllers(given: Parameters<typeof givenControlPlane>[0] = {}) {
  const plane = await givenControlPlane(given);
  const problems: unknown[] = [];
  let isAside = false;
  const parts: ControllerParts = {
    loopback: plane.loopback,
    listen: plane.listen.bind(plane),
    objects: plane.objects,
    followed: plane.followed,
    served: new KindsServed(plane.served),
    clock: plane.clock,
    faults: {
      record(what, error) {
        problems.push(error);
        plane.context.faults.record(what, error);
      },
    },
    isAside: () => isAside,
  };
  return {
    ...plane,
    parts,
    problems,
    /** From now on another process does the work, or none does. */
    standAside(is: boolean) {
      isAside = is;
    },
    async started(start: (parts: ControllerParts) => Controller): Promise<Controller> {
      const controller = start(parts);
      await controller.begin();
      return controller;
    },
    /** Waits, while time goes on, until it is so. */
    async until(what: string, isSo: () => Promise<boolean> | boolean): Promise<void> {
      for (let turn = 0; turn < PATIENCE; turn += 1) {
        if (await isSo()) return;
        await new Promise((resolve) => setImmediate(resolve));
        plane.clock.advance(TICK_MS);
      }
      throw new Error(`it never came about that ${what}`);
    },
    async find(url: string): Promise<KubeObject | undefined> {
      const { code, object } = await plane.get(url);
      return code === 200 ? object : undefined;
    },
  };
}
