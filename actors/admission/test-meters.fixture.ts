/** For tests: what was counted, as it was told. */
import type { AdmissionMeters } from './admission-meters.ts';

export interface TestMeters extends AdmissionMeters {
  /** `asked a.example.com 200`, in order; durations are not told. */
  readonly told: string[];
}

export function testMeters(): TestMeters {
  const told: string[] = [];
  const tell = (...words: readonly (string | number | boolean)[]): void => {
    told.push(words.map(String).join(' '));
  };
  return {
    told,
    now: () => 0,
    webhooks: {
      asked: ({ name }, code, isRejected) => {
        tell('asked', name, code, ...(isRejected ? ['rejected'] : []));
      },
      rejected: ({ name }, cause, code) => {
        tell('rejected', name, cause, code);
      },
      deprecatedCertificate: () => undefined,
      failedOpen: ({ name }) => {
        tell('failed open', name);
      },
      excluded: ({ name }) => {
        tell('excluded', name);
      },
    },
    policies: {
      conditionsEvaluated: ({ kind, name, type, operation }, errors) => {
        tell('conditions of', kind, name, type, operation, errors);
      },
      validated: ({ policy, binding, errorType }, action) => {
        tell('validated', policy, binding, errorType, action);
      },
      mutated: ({ policy, binding, errorType }) => {
        tell('mutated', policy, binding, errorType);
      },
    },
    durationsOf:
      (plugin = 'all', type, operation) =>
      (_durationMs, isRejected) => {
        tell(plugin, type, operation, ...(isRejected ? ['rejected'] : []));
      },
    podSecurityAt: ({ operation, resource, subresource }) => {
      const where = [operation, resource, subresource].filter((word) => word !== '');
      return {
        evaluated: (decision, { level, version }, mode) => {
          tell(decision, level, version, mode, ...where);
        },
        exempted: () => {
          tell('exempted', ...where);
        },
        failed: (isFatal) => {
          tell(isFatal ? 'failed' : 'misled', ...where);
        },
      };
    },
  };
}
