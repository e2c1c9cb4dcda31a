/**
 * Defaults of flow schemas and priority levels. The exempt level has no shares of its own unless it
 * says so; an explicit 0 of a limited level stays 0.
 *
 * In Kubernetes: SetDefaults_*, pkg/apis/flowcontrol/v1.
 */
import type {
  FlowSchema,
  LimitedPriorityLevelConfiguration,
  PriorityLevelConfiguration,
} from '../../generated/kinds/flowcontrol-v1.ts';

const MATCHING_PRECEDENCE = 1000;
const CONCURRENCY_SHARES = 30;
const QUEUES = 64;
const HAND_SIZE = 8;
const QUEUE_LENGTH_LIMIT = 50;

/** A schema without a precedence, or with 0, comes after those that say one. */
export function setFlowSchemaDefaults({ spec }: FlowSchema): void {
  spec.matchingPrecedence ||= MATCHING_PRECEDENCE;
}

/** Shares, what may be lent, and queues. */
export function setPriorityLevelConfigurationDefaults({ spec }: PriorityLevelConfiguration): void {
  const { limited, exempt } = spec;
  if (limited !== undefined) setLimitedDefaults(limited);
  if (exempt === undefined) return;
  exempt.nominalConcurrencyShares ??= 0;
  exempt.lendablePercent ??= 0;
}

function setLimitedDefaults(limited: LimitedPriorityLevelConfiguration): void {
  limited.nominalConcurrencyShares ??= CONCURRENCY_SHARES;
  limited.lendablePercent ??= 0;
  const { queuing } = limited.limitResponse;
  if (queuing === undefined) return;
  queuing.handSize ||= HAND_SIZE;
  queuing.queues ||= QUEUES;
  queuing.queueLengthLimit ||= QUEUE_LENGTH_LIMIT;
}
