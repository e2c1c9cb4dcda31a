/** The spec of a priority level as Go prints its internal form, in messages about all of it. */
import { type JsonObject, numberAt, objectAt, stringAt } from '../../../json/json.ts';

export function internalLevelSpec(spec: JsonObject): JsonObject {
  const limited = objectAt(spec, 'limited');
  const exempt = objectAt(spec, 'exempt');
  return {
    Type: stringAt(spec, 'type'),
    Limited: limited === undefined ? null : internalLimited(limited),
    Exempt:
      exempt === undefined
        ? null
        : {
            NominalConcurrencyShares: numberAt(exempt, 'nominalConcurrencyShares') ?? null,
            LendablePercent: numberAt(exempt, 'lendablePercent') ?? null,
          },
  };
}

function internalLimited(limited: JsonObject): JsonObject {
  const response = objectAt(limited, 'limitResponse');
  const queuing = objectAt(response, 'queuing');
  return {
    NominalConcurrencyShares: numberAt(limited, 'nominalConcurrencyShares') ?? 0,
    LimitResponse: {
      Type: stringAt(response, 'type'),
      Queuing:
        queuing === undefined
          ? null
          : {
              Queues: numberAt(queuing, 'queues') ?? 0,
              HandSize: numberAt(queuing, 'handSize') ?? 0,
              QueueLengthLimit: numberAt(queuing, 'queueLengthLimit') ?? 0,
            },
    },
    LendablePercent: numberAt(limited, 'lendablePercent') ?? null,
    BorrowingLimitPercent: numberAt(limited, 'borrowingLimitPercent') ?? null,
  };
}
