/**
 * What a PriorityLevelConfiguration says, read into what the queues need.
 *
 * In Kubernetes: queueSetCompleterForPL and plSpecCommons, apiserver/pkg/util/flowcontrol.
 */
import { type JsonObject, int32At, objectAt, stringAt } from '../../api/json/json.ts';
import type { QueuingConfig } from './fair-queues.ts';
import { dealingProblem } from './shuffle-sharding.ts';

export interface LevelSpec {
  readonly name: string;
  readonly uid: string;
  readonly isExempt: boolean;
  /** Of the server's seats, among those of all levels. */
  readonly shares: number;
  readonly lendablePercent: number;
  /** undefined: it may borrow as much as there is. */
  readonly borrowingPercent: number | undefined;
  readonly queuing: QueuingConfig;
}

const EXEMPT: QueuingConfig = { queues: -1, queueLength: 0, handSize: 0 };
const REJECT: QueuingConfig = { queues: 0, queueLength: 0, handSize: 0 };

/** undefined: the object contradicts itself, and counts as one that is not there. */
export function readLevelSpec(object: JsonObject): LevelSpec | undefined {
  const metadata = objectAt(object, 'metadata');
  const spec = objectAt(object, 'spec');
  const name = stringAt(metadata, 'name');
  const limited = objectAt(spec, 'limited');
  const exempt = objectAt(spec, 'exempt');
  const type = stringAt(spec, 'type');
  if ((type === 'Limited') !== (limited !== undefined)) return undefined;
  if ((type === 'Exempt') !== (exempt !== undefined)) return undefined;
  if ((type === 'Exempt') !== (name === 'exempt')) return undefined;
  const common = limited ?? exempt;
  const queuing = limited === undefined ? EXEMPT : readQueuing(limited);
  if (common === undefined || queuing === undefined) return undefined;
  return {
    name,
    uid: stringAt(metadata, 'uid'),
    isExempt: limited === undefined,
    shares: int32At(common, 'nominalConcurrencyShares') ?? 0,
    lendablePercent: int32At(common, 'lendablePercent') ?? 0,
    borrowingPercent: int32At(common, 'borrowingLimitPercent'),
    queuing,
  };
}

function readQueuing(limited: JsonObject): QueuingConfig | undefined {
  const response = objectAt(limited, 'limitResponse');
  const queuing = objectAt(response, 'queuing');
  if ((stringAt(response, 'type') === 'Reject') !== (queuing === undefined)) return undefined;
  if (queuing === undefined) return REJECT;
  const queues = int32At(queuing, 'queues') ?? 0;
  const handSize = int32At(queuing, 'handSize') ?? 0;
  if (queues <= 0) return REJECT;
  if (dealingProblem(queues, handSize) !== undefined) return undefined;
  return { queues, handSize, queueLength: int32At(queuing, 'queueLengthLimit') ?? 0 };
}
