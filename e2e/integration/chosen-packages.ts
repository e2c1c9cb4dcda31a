/**
 * Which packages of Kubernetes' integration tests run against this server, and which of their tests are left out, with
 * the reason: what they look at is not there, or differs on purpose. What fails by a fault is not left out, and fails.
 */
import type { ChosenPackage } from './chosen-package.ts';
import { CONTROL } from './chosen-control.ts';
import { MACHINERY } from './chosen-machinery.ts';
import { SCHEDULING } from './chosen-scheduling.ts';
import { WORKLOADS } from './chosen-workloads.ts';

/** One expression for what is left out; '' for nothing. */
export function leftOutOf(leftOut: ChosenPackage['leftOut']): string {
  return leftOut.flatMap(({ tests }) => tests).join('|');
}

/** All that `npm run integration` runs. */
export const PACKAGES: readonly ChosenPackage[] = [
  ...MACHINERY,
  ...CONTROL,
  ...WORKLOADS,
  ...SCHEDULING,
];
