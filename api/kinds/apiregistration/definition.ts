/**
 * API services, stored only: nothing is proxied to them yet. One without a service is our own
 * and available at once.
 *
 * In Kubernetes: kube-aggregator/pkg/registry/apiservice.
 */
import type { APIService } from '../../generated/kinds/apiregistration-v1.ts';
import type { JsonObject } from '../../json/json.ts';
import { nameIsPathSegment } from '../../meta/names.ts';
import { defineKind } from '../kind.ts';
import { METADATA_KEPT_BY_STATUS } from '../strategy-of.ts';
import { isMissing } from '../rules/value-validation.ts';
import { validateApiService, validateApiServiceStatus } from './validation.ts';

export const apiServices = defineKind('apiregistration.k8s.io/v1/apiservices', {
  rules: {
    validateName: (name) => nameIsPathSegment(name, false),
    allowsUnconditionalUpdate: false,
    takesAnyFinalizer: true,
    status: {
      initial: initialStatus,
      keeps: METADATA_KEPT_BY_STATUS,
      validateUpdate: validateApiServiceStatus,
    },
    validate: validateApiService,
  },
});

function initialStatus(service: APIService): JsonObject {
  if (!isMissing(service.spec.service)) return {};
  return {
    conditions: [
      {
        type: 'Available',
        status: 'True',
        // It is being made at this moment.
        lastTransitionTime: service.metadata.creationTimestamp ?? null,
        reason: 'Local',
        message: 'Local APIServices are always available',
      },
    ],
  };
}
