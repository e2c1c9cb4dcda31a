/**
 * What a priority level may say: the exempt one, and all others, which are limited. Messages about the
 * whole of a spec show it as Go prints its internal form.
 *
 * In Kubernetes: ValidatePriorityLevelConfiguration, pkg/apis/flowcontrol/validation.
 */
import type {
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  LimitedPriorityLevelConfiguration,
  ExemptPriorityLevelConfiguration,
  LimitResponse,
  QueuingConfiguration,
} from '../../../generated/kinds/flowcontrol-v1.ts';
import type { JsonObject } from '../../../json/json.ts';
import {
  type FieldErrors,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../../field/field-errors.ts';
import { sameValue } from '../../rules/same-value.ts';

const EXEMPT = 'exempt';
const ZERO_SHARES = 'flowcontrol.k8s.io/preserve-zero-concurrency-shares';
const LEVEL_TYPES = ['Exempt', 'Limited'];
const RESPONSE_TYPES = ['Queue', 'Reject'];
const QUEUES_MAX = 10_000_000;
const HASH_BITS_MAX = 60;
const CATCH_ALL_SPEC: PriorityLevelConfigurationSpec = {
  type: 'Limited',
  limited: {
    nominalConcurrencyShares: 5,
    limitResponse: { type: 'Reject' },
    lendablePercent: 0,
  },
};

/** Of the metadata and the spec. */
export function validatePriorityLevel(level: PriorityLevelConfiguration): FieldErrors {
  const annotations = level.metadata.annotations ?? {};
  return [
    ...(Object.hasOwn(annotations, ZERO_SHARES)
      ? [forbiddenField('metadata.annotations', `annotation '${ZERO_SHARES}' is forbidden`)]
      : []),
    ...validateSpec(level.spec, level.metadata.name ?? ''),
    ...validateMandatory(level),
  ];
}

function validateSpec(spec: PriorityLevelConfigurationSpec, name: string): FieldErrors {
  const type = spec.type;
  const isMisnamed = (name === EXEMPT) !== (type === 'Exempt');
  const detail = "must be 'Exempt' if and only if `name` is 'exempt'";
  return [
    ...(isMisnamed ? [invalidValue('spec.type', type, detail)] : []),
    ...validateType(spec, type),
  ];
}

function validateType(spec: PriorityLevelConfigurationSpec, type: string): FieldErrors {
  const { exempt, limited } = spec;
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

function validateLimited(limited: LimitedPriorityLevelConfiguration): FieldErrors {
  const field = 'spec.limited';
  const borrowing = limited.borrowingLimitPercent;
  const detail = 'if specified, must be a non-negative integer';
  return [
    ...validateShares(field, limited),
    ...validateResponse(limited.limitResponse),
    ...validatePercent(field, limited),
    ...(borrowing !== undefined && borrowing < 0
      ? [invalidValue(`${field}.borrowingLimitPercent`, borrowing, detail)]
      : []),
  ];
}

function validateShares(
  field: string,
  level: ExemptPriorityLevelConfiguration | LimitedPriorityLevelConfiguration | undefined,
): FieldErrors {
  const shares = level?.nominalConcurrencyShares ?? 0;
  if (shares >= 0) return [];
  const path = `${field}.nominalConcurrencyShares`;
  return [invalidValue(path, shares, 'must be a non-negative integer')];
}

function validatePercent(
  field: string,
  level: ExemptPriorityLevelConfiguration | LimitedPriorityLevelConfiguration | undefined,
): FieldErrors {
  const percent = level?.lendablePercent ?? 0;
  if (percent >= 0 && percent <= 100) return [];
  return [
    invalidValue(`${field}.lendablePercent`, percent, 'must be between 0 and 100, inclusive'),
  ];
}

function validateResponse({ type, queuing }: LimitResponse): FieldErrors {
  const field = 'spec.limited.limitResponse';
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

function validateQueuing(
  field: string,
  { queueLengthLimit: limit, queues, handSize: hand }: QueuingConfiguration,
): FieldErrors {
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

function validateMandatory({ metadata, spec }: PriorityLevelConfiguration): FieldErrors {
  const { name = '' } = metadata;
  if (name === EXEMPT) {
    // The exempt level may say how much it lends, and nothing else.
    const isAlone = spec.type === 'Exempt' && spec.limited === undefined;
    const detail = "spec of 'exempt' except the 'spec.exempt' field must equal the fixed value";
    return isAlone ? [] : [invalidValue('spec', internalLevelSpec(spec), detail)];
  }
  if (name !== 'catch-all' || sameValue(spec, CATCH_ALL_SPEC)) return [];
  const detail = "spec of 'catch-all' must equal the fixed value";
  return [invalidValue('spec', internalLevelSpec(spec), detail)];
}

function internalLevelSpec({ type, limited, exempt }: PriorityLevelConfigurationSpec): JsonObject {
  return {
    Type: type,
    Limited: limited === undefined ? null : internalLimited(limited),
    Exempt:
      exempt === undefined
        ? null
        : {
            NominalConcurrencyShares: exempt.nominalConcurrencyShares ?? null,
            LendablePercent: exempt.lendablePercent ?? null,
          },
  };
}

function internalLimited(limited: LimitedPriorityLevelConfiguration): JsonObject {
  const { type, queuing } = limited.limitResponse;
  return {
    NominalConcurrencyShares: limited.nominalConcurrencyShares ?? 0,
    LimitResponse: {
      Type: type,
      Queuing:
        queuing === undefined
          ? null
          : {
              Queues: queuing.queues,
              HandSize: queuing.handSize,
              QueueLengthLimit: queuing.queueLengthLimit,
            },
    },
    LendablePercent: limited.lendablePercent ?? null,
    BorrowingLimitPercent: limited.borrowingLimitPercent ?? null,
  };
}
