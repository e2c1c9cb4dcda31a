/** The devices that drivers offer. In Kubernetes: registry/resource/resourceslice. */
import type { Clock } from '../../../meta/clock.ts';
import { stringAt } from '../../../json/json.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import { defineKind, type Kind } from '../../kind.ts';
import { specChanged } from '../../strategy-of.ts';
import { specOf } from '../../rules/value-validation.ts';
import { dropGatedFields } from './gated-fields.ts';
import { stampTaints } from './taint-times.ts';
import { validateSlice, validateSliceChange } from './validation.ts';

export function resourceSlices(clock: Clock): Kind {
  return defineKind('resource.k8s.io/v1/resourceslices', {
    fields: {
      'spec.nodeName': (slice) => slice.spec.nodeName ?? '',
      'spec.driver': (slice) => slice.spec.driver,
    },
    rules: {
      returnsDeletedObject: true,
      isNewGeneration: specChanged,
      prepareForCreate(slice) {
        dropGatedFields(slice);
        stampTaints(slice, clock);
      },
      prepareForUpdate(slice, old) {
        dropGatedFields(slice, old);
        stampTaints(slice, clock);
      },
      validate: validateSlice,
      validateUpdate: validateSliceChange,
      warningsOnCreate: driverWarnings,
      warningsOnUpdate: driverWarnings,
    },
  });
}

function driverWarnings(slice: KubeObject): readonly string[] {
  const driver = stringAt(specOf(slice), 'driver');
  if (driver === driver.toLowerCase()) return [];
  const quoted = JSON.stringify(driver);
  return [`spec.driver: driver names should be lowercase; ${quoted} contains uppercase characters`];
}
