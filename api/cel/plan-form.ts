/** What a part of an expression becomes before it is known where its value goes. */
import type { Attribute } from './attributes.ts';
import type { Run } from './frame.ts';
import type { CelValue } from './value.ts';

export type Plan =
  | { readonly kind: 'constant'; readonly value: CelValue }
  /** `isTest`: of `has(…)`, whose name is not paid for. */
  | { readonly kind: 'attribute'; readonly attribute: Attribute; readonly isTest: boolean }
  | { readonly kind: 'run'; readonly run: Run };

export function isConstant(plan: Plan): plan is Plan & { readonly kind: 'constant' } {
  return plan.kind === 'constant';
}
