/**
 * What a priority level may say: the exempt one, and all others, which are limited.
 *
 * In Kubernetes: ValidatePriorityLevelConfiguration, pkg/apis/flowcontrol/validation.
 */
import { isJsonObject, type JsonObject, int32At, objectAt, stringAt } from '../../../json/json.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import {
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  type FieldErrors,
} from '../../../field/field-errors.ts';
import { sameValue } from '../../rules/same-value.ts';
import { specOf } from '../../rules/value-validation.ts';
import { validateFlowConditions } from '../condition-validation.ts';
import { internalLevelSpec } from './internal-form.ts';

const EXEMPT = 'exempt';
const ZERO_SHARES = 'flowcontrol.k8s.io/preserve-zero-concurrency-shares';
const LEVEL_TYPES = ['Exempt', 'Limited'];
const RESPONSE_TYPES = ['Queue', 'Reject'];
const QUEUES_MAX = 10_000_000;
const HASH_BITS_MAX = 60;
const CATCH_ALL_SPEC: JsonObject = {
  type: 'Limited',
  limited: {
    nominalConcurrencyShares: 5,
    limitResponse: { type: 'Reject' },
    lendablePercent: 0,
  },
};

export function validatePriorityLevel(level: KubeObject): FieldErrors {
  const annotations = level.metadata.annotations ?? {};
  return [
    ...(Object.hasOwn(annotations, ZERO_SHARES)
      ? [forbiddenField('metadata.annotations', `annotation '${ZERO_SHARES}' is forbidden`)]
      : []),
    ...validateSpec(specOf(level), level.metadata.name ?? ''),
    ...validateMandatory(level),
    ...validateFlowConditions(level),
  ];
}

function validateSpec(spec: JsonObject, name: string): FieldErrors {
  const type = stringAt(spec, 'type');
  const isMisnamed = (name === EXEMPT) !== (type === 'Exempt');
  const detail = "must be 'Exempt' if and only if `name` is 'exempt'";
  return [
    ...(isMisnamed ? [invalidValue('spec.type', type, detail)] : []),
    ...validateType(spec, type),
  ];
}

function validateType(spec: JsonObject, type: string): FieldErrors {
  const exempt = objectAt(spec, 'exempt');
  const limited = objectAt(spec, 'limited');
  switch (type) {
    case 'Exempt':
      return [
        ...(limited === undefined
          ? []
          : [forbiddenField('spec.limited', 'must be nil if the type is not Limited')]),
        ...validateShares('spec.exempt', exempt),
        ...validatePercent('spec.exempt', exempt),
      ];
    case 'Limited':
      return [
        ...(exempt === undefined
          ? []
          : [forbiddenField('spec.exempt', 'must be nil if the type is Limited')]),
        ...(limited === undefined
          ? [required('spec.limited', 'must not be empty when type is Limited')]
          : validateLimited(limited)),
      ];
    case '':
      return [required('spec.type')];
    default:
      return [notSupported('spec.type', type, LEVEL_TYPES)];
  }
}

function validateLimited(limited: JsonObject): FieldErrors {
  const field = 'spec.limited';
  const borrowing = int32At(limited, 'borrowingLimitPercent');
  const detail = 'if specified, must be a non-negative integer';
  return [
    ...validateShares(field, limited),
    ...validateResponse(objectAt(limited, 'limitResponse') ?? {}),
    ...validatePercent(field, limited),
    ...(borrowing !== undefined && borrowing < 0
      ? [invalidValue(`${field}.borrowingLimitPercent`, borrowing, detail)]
      : []),
  ];
}

function validateShares(field: string, level: JsonObject | undefined): FieldErrors {
  const shares = int32At(level, 'nominalConcurrencyShares') ?? 0;
  if (shares >= 0) return [];
  const path = `${field}.nominalConcurrencyShares`;
  return [invalidValue(path, shares, 'must be a non-negative integer')];
}

function validatePercent(field: string, level: JsonObject | undefined): FieldErrors {
  const percent = int32At(level, 'lendablePercent') ?? 0;
  if (percent >= 0 && percent <= 100) return [];
  return [
    invalidValue(`${field}.lendablePercent`, percent, 'must be between 0 and 100, inclusive'),
  ];
}

function validateResponse(response: JsonObject): FieldErrors {
  const field = 'spec.limited.limitResponse';
  const type = stringAt(response, 'type');
  const queuing = objectAt(response, 'queuing');
  switch (type) {
    case 'Reject': {
      const detail = 'must be nil if limited.limitResponse.type is not Limited';
      return queuing === undefined ? [] : [forbiddenField(`${field}.queuing`, detail)];
    }
    case 'Queue': {
      const detail = 'must not be empty if limited.limitResponse.type is Limited';
      return queuing === undefined
        ? [required(`${field}.queuing`, detail)]
        : validateQueuing(`${field}.queuing`, queuing);
    }
    case '':
      return [required(`${field}.type`)];
    default:
      return [notSupported(`${field}.type`, type, RESPONSE_TYPES)];
  }
}

function validateQueuing(field: string, queuing: JsonObject): FieldErrors {
  const limit = int32At(queuing, 'queueLengthLimit') ?? 0;
  const queues = int32At(queuing, 'queues') ?? 0;
  const hand = int32At(queuing, 'handSize') ?? 0;
  const handProblem = handSizeProblem(queues, hand);
  return [
    ...(limit <= 0 ? [invalidValue(`${field}.queueLengthLimit`, limit, 'must be positive')] : []),
    ...(queues <= 0 ? [invalidValue(`${field}.queues`, queues, 'must be positive')] : []),
    ...(queues > QUEUES_MAX
      ? [invalidValue(`${field}.queues`, queues, `must not be greater than ${String(QUEUES_MAX)}`)]
      : []),
    ...(handProblem === undefined ? [] : [invalidValue(`${field}.handSize`, hand, handProblem)]),
  ];
}

/** A hand is dealt by the bits of one hash, so there must be enough of them. */
function handSizeProblem(queues: number, hand: number): string | undefined {
  if (hand <= 0) return 'must be positive';
  if (hand > queues) return `should not be greater than queues (${String(queues)})`;
  if (Math.ceil(Math.log2(queues) * hand) <= HASH_BITS_MAX) return undefined;
  return (
    `required entropy bits of deckSize ${String(queues)} and handSize ${String(hand)} ` +
    `should not be greater than ${String(HASH_BITS_MAX)}`
  );
}

function validateMandatory(level: KubeObject): FieldErrors {
  const { name = '' } = level.metadata;
  const spec = specOf(level);
  if (name === EXEMPT) {
    // The exempt level may say how much it lends, and nothing else.
    const isAlone = stringAt(spec, 'type') === 'Exempt' && !isJsonObject(spec['limited']);
    const detail = "spec of 'exempt' except the 'spec.exempt' field must equal the fixed value";
    return isAlone ? [] : [invalidValue('spec', internalLevelSpec(spec), detail)];
  }
  if (name !== 'catch-all' || sameValue(spec, CATCH_ALL_SPEC)) return [];
  const detail = "spec of 'catch-all' must equal the fixed value";
  return [invalidValue('spec', internalLevelSpec(spec), detail)];
}
