/**
 * Defaults of a PriorityLevelConfiguration. The exempt level has no shares of its own unless it says
 * so; an explicit 0 of a limited level stays 0.
 *
 * In Kubernetes: SetDefaults_{Limited,Exempt}PriorityLevelConfiguration, pkg/apis/flowcontrol/v1.
 */
import type { JsonObject } from '../../../json/json.ts';
import { setIfAbsent, setIfZero, withObject } from '../../default-field.ts';

const CONCURRENCY_SHARES = 30;
const QUEUES = 64;
const HAND_SIZE = 8;
const QUEUE_LENGTH_LIMIT = 50;

export function setPriorityLevelConfigurationDefaults(level: JsonObject): void {
  withObject(level, 'spec', (spec) => {
    withObject(spec, 'limited', setLimitedDefaults);
    withObject(spec, 'exempt', (exempt) => {
      setIfAbsent(exempt, 'nominalConcurrencyShares', 0);
      setIfAbsent(exempt, 'lendablePercent', 0);
    });
  });
}

function setLimitedDefaults(limited: JsonObject): void {
  setIfAbsent(limited, 'nominalConcurrencyShares', CONCURRENCY_SHARES);
  setIfAbsent(limited, 'lendablePercent', 0);
  withObject(limited, 'limitResponse', (response) => {
    withObject(response, 'queuing', (queuing) => {
      setIfZero(queuing, 'handSize', HAND_SIZE);
      setIfZero(queuing, 'queues', QUEUES);
      setIfZero(queuing, 'queueLengthLimit', QUEUE_LENGTH_LIMIT);
    });
  });
}
