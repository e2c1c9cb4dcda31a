import { expect, it } from 'vitest';

import type { ResourceQuota, ResourceQuotaSpec } from '../../../generated/kinds/core-v1.ts';
import { formatFieldError } from '../../../field/field-errors.ts';
import { validateQuota } from './validation.ts';

it.each(['constructor', '__proto__', 'toString'])('knows no scope %s', (scope) => {
  const quota = (spec: ResourceQuotaSpec): ResourceQuota => ({
    metadata: { name: 'a' },
    spec: { hard: { pods: '1' }, ...spec },
    status: {},
  });
  const expressions = [{ scopeName: scope, operator: 'Exists' }];
  const errors = [
    ...validateQuota(quota({ scopes: [scope] })),
    ...validateQuota(quota({ scopeSelector: { matchExpressions: expressions } })),
  ];
  expect(errors.map(formatFieldError)).toEqual([
    `spec.scopes: Invalid value: ["${scope}"]: unsupported scope`,
    `spec.scopeSelector.matchExpressions.scopeName: Invalid value: "${scope}": unsupported scope`,
  ]);
});
