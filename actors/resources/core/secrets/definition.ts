/** Secrets: values that are shown to few. In Kubernetes: registry/core/secret. */
import { stringAt } from '../../../../api/meta/json.ts';
import { selectable, type Kind } from '../../kind.ts';
import { strategyOf } from '../../strategy-of.ts';
import { moveStringData } from './string-data.ts';
import { secretWarnings } from './warnings.ts';
import { validateSecret, validateSecretUpdate } from './validation.ts';

export const secrets: Kind = {
  group: '',
  version: 'v1',
  resource: 'secrets',
  fields: selectable({ type: (secret) => stringAt(secret, 'type') }),
  strategy: strategyOf({
    prepareForCreate: moveStringData,
    prepareForUpdate(secret, old) {
      moveStringData(secret);
      if (stringAt(secret, 'type') === '') secret['type'] = stringAt(old, 'type');
    },
    warningsOnCreate: secretWarnings,
    warningsOnUpdate: secretWarnings,
    validate: validateSecret,
    validateUpdate: validateSecretUpdate,
  }),
};
