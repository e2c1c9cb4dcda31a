/** All cost cases, by the family that a run may be confined to. */
import type { CostCase } from './cost-case.ts';
import type { ShapeChoice } from './text-shapes.ts';

type Family = (shapes: ShapeChoice) => Promise<CostCase[]>;

export const COST_FAMILIES: Readonly<Record<string, Family>> = {
  requests: async (shapes) => (await import('./cases/requests.ts')).cases(shapes),
  values: async (shapes) => (await import('./cases/values.ts')).cases(shapes),
  bodies: async (shapes) => (await import('./cases/bodies.ts')).cases(shapes),
  objects: async (shapes) => (await import('./cases/objects.ts')).cases(shapes),
  updates: async () => (await import('./cases/updates.ts')).cases(),
  patches: async () => (await import('./cases/patches.ts')).cases(),
  custom: async (shapes) => (await import('./cases/custom.ts')).cases(shapes),
};

/** Families that only the long run has. */
export const LONG_FAMILIES: Readonly<Record<string, Family>> = {
  fields: async () => (await import('./cases/fields.ts')).cases(),
};
