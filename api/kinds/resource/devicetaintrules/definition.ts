/**
 * DeviceTaintRules: a taint of all devices that a selector chooses. The time of a taint is that of its
 * effect, so a new effect has a new time unless the client says which.
 *
 * In Kubernetes: registry/resource/devicetaintrule; ValidateDeviceTaintRule and its neighbours,
 * pkg/apis/resource/validation; SetDefaults_DeviceTaint, pkg/apis/resource/v1alpha3.
 */
import type {
  DeviceTaintRule,
  DeviceTaintSelector,
} from '../../../generated/kinds/resource-v1alpha3.ts';
import { type FieldErrors, tooMany } from '../../../field/field-errors.ts';
import { items } from '../../../json/go-values.ts';
import { type Clock, formatTime } from '../../../meta/clock.ts';
import { defineKind, type Kind } from '../../kind.ts';
import { validateMetaConditions } from '../../rules/status-validation.ts';
import { validateDriverName } from '../../rules/text-validation.ts';
import { emptyStatus, METADATA_KEPT_BY_STATUS, specChanged } from '../../strategy-of.ts';
import { validateLabelName, validatePoolName } from '../name-validation.ts';
import { validateTaint } from '../taint-validation.ts';

const CONDITIONS_MAX = 8;

/** `clock` tells when a taint was added. */
export function deviceTaintRules(clock: Clock): Kind {
  return defineKind('resource.k8s.io/v1alpha3/devicetaintrules', {
    rules: {
      returnsDeletedObject: true,
      isNewGeneration: specChanged,
      status: {
        initial: emptyStatus,
        keeps: METADATA_KEPT_BY_STATUS,
        validateUpdate: validateStatus,
      },
      prepareForCreate: (rule) => {
        stampTaint(rule, clock);
      },
      prepareForUpdate(rule, old) {
        const [{ taint }, { taint: oldTaint }] = [rule.spec, old.spec];
        const isOfOldEffect = taint.timeAdded === oldTaint.timeAdded;
        if (taint.effect !== oldTaint.effect && isOfOldEffect) delete taint.timeAdded;
        stampTaint(rule, clock);
      },
      validate: (rule) => validateRule(rule),
      validateUpdate: validateRule,
    },
  });
}

function stampTaint({ spec }: DeviceTaintRule, clock: Clock): void {
  spec.taint.timeAdded ??= formatTime(clock.now());
}

function validateRule({ spec }: DeviceTaintRule, old?: DeviceTaintRule): FieldErrors {
  return [
    ...validateSelector('spec.deviceSelector', spec.deviceSelector ?? {}),
    ...validateTaint('spec.taint', spec.taint, old?.spec.taint),
  ];
}

function validateSelector(field: string, selector: DeviceTaintSelector): FieldErrors {
  const { driver, pool, device } = selector;
  return [
    ...(driver === undefined ? [] : validateDriverName(`${field}.driver`, driver)),
    ...(pool === undefined ? [] : validatePoolName(`${field}.pool`, pool)),
    ...(device === undefined ? [] : validateLabelName(`${field}.device`, device)),
  ];
}

function validateStatus({ status }: DeviceTaintRule): FieldErrors {
  const field = 'status.conditions';
  const conditions = items(status.conditions);
  return [
    ...validateMetaConditions(field, conditions),
    ...(conditions.length > CONDITIONS_MAX
      ? [tooMany(field, conditions.length, CONDITIONS_MAX)]
      : []),
  ];
}
