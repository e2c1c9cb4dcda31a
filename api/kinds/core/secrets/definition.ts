/** Secrets: values that are shown to few. In Kubernetes: registry/core/secret. */
import { defineKind } from '../../kind.ts';
import { moveStringData } from './string-data.ts';
import { secretWarnings } from './warnings.ts';
import { validateSecret, validateSecretUpdate } from './validation.ts';

export const secrets = defineKind('v1/secrets', {
  fields: { type: (secret) => secret.type ?? '' },
  rules: {
    prepareForCreate: moveStringData,
    prepareForUpdate(secret, old) {
      moveStringData(secret);
      if ((secret.type ?? '') === '') secret.type = old.type ?? '';
    },
    warningsOnCreate: secretWarnings,
    warningsOnUpdate: secretWarnings,
    validate: validateSecret,
    validateUpdate: validateSecretUpdate,
  },
});
