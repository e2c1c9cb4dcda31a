import { expect, it } from 'vitest';

import { formatFieldError } from '../../../field/field-errors.ts';
import { validateQuota } from './validation.ts';

it.each(['constructor', '__proto__', 'toString'])('knows no scope %s', (scope) => {
  const quota = (spec: object) => ({
    kind: 'ResourceQuota',
    apiVersion: 'v1',
    metadata: { name: 'a' },
    spec: { hard: { pods: '1' }, ...spec },
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
