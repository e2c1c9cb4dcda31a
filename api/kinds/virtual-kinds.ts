/**
 * The kinds that are answered and never stored. What they are is in the generated facts, so there
 * is nothing to say but their names; what answers for them stands in `virtual-handlers.ts`.
 */
import type { Kind } from './kind.ts';
import { strategyOf } from './strategy-of.ts';

const AUTHENTICATION = 'authentication.k8s.io';
const AUTHORIZATION = 'authorization.k8s.io';

/** The rules of what is never stored are not asked for. */
const NO_RULES = strategyOf({});

export const VIRTUAL_KINDS: readonly Kind[] = [
  virtualKind('', 'bindings'),
  {
    ...virtualKind('', 'componentstatuses'),
    deprecation: 'v1 ComponentStatus is deprecated in v1.19+',
  },
  virtualKind(AUTHENTICATION, 'selfsubjectreviews'),
  virtualKind(AUTHENTICATION, 'tokenreviews'),
  virtualKind(AUTHORIZATION, 'localsubjectaccessreviews'),
  virtualKind(AUTHORIZATION, 'selfsubjectaccessreviews'),
  virtualKind(AUTHORIZATION, 'selfsubjectrulesreviews'),
  virtualKind(AUTHORIZATION, 'subjectaccessreviews'),
];

function virtualKind(group: string, resource: string): Kind {
  return { group, version: 'v1', resource, strategy: NO_RULES };
}
