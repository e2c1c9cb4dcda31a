/**
 * What a PriorityLevelConfiguration says, read into what the queues need.
 *
 * In Kubernetes: queueSetCompleterForPL and plSpecCommons, apiserver/pkg/util/flowcontrol.
 */
import type {
  LimitedPriorityLevelConfiguration,
  PriorityLevelConfiguration,
} from '../../api/generated/kinds/flowcontrol-v1.ts';
import type { QueuingConfig } from './fair-queues.ts';
import { dealingProblem } from './fair-queue.ts';

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
export function readLevelSpec({
  metadata,
  spec,
}: PriorityLevelConfiguration): LevelSpec | undefined {
  const { name = '', uid = '' } = metadata;
  const { type, limited, exempt } = spec;
  if ((type === 'Limited') !== (limited !== undefined)) return undefined;
  if ((type === 'Exempt') !== (exempt !== undefined)) return undefined;
  if ((type === 'Exempt') !== (name === 'exempt')) return undefined;
  const common = limited ?? exempt;
  const queuing = limited === undefined ? EXEMPT : readQueuing(limited);
  if (common === undefined || queuing === undefined) return undefined;
  return {
    name,
    uid,
    isExempt: limited === undefined,
    shares: common.nominalConcurrencyShares ?? 0,
    lendablePercent: common.lendablePercent ?? 0,
    borrowingPercent: limited?.borrowingLimitPercent,
    queuing,
  };
}

function readQueuing({
  limitResponse: { type, queuing },
}: LimitedPriorityLevelConfiguration): QueuingConfig | undefined {
  if ((type === 'Reject') !== (queuing === undefined)) return undefined;
  if (queuing === undefined) return REJECT;
  const { queues, handSize, queueLengthLimit: queueLength } = queuing;
  if (queues <= 0) return REJECT;
  if (dealingProblem(queues, handSize) !== undefined) return undefined;
  return { queues, handSize, queueLength };
}
