/**
 * Tells in the status of each flow schema whether its priority level is there: the condition
 * Dangling. It is for people: nothing depends on it. Servers of other versions may tell it otherwise, so each
 * of them writes the same status a few times in a minute, and then waits.
 *
 * In Kubernetes: presyncFlowSchemaStatus and shouldDelayUpdate, apiserver/pkg/util/flowcontrol.
 */
import type { FlowSchemaCondition } from '../../../api/generated/kinds/flowcontrol-v1.ts';
import { items } from '../../../api/json/go-values.ts';
import { formatTime, type Clock } from '../../../api/meta/clock.ts';
import type { ObjectReads, ObjectView } from '../../../projections/objects/object-view.ts';
import { storedAt, storedKind } from '../../../projections/objects/stored-kinds.ts';
import { nameOf, pathOf, type CommittedEvent } from '../../../streams/event.ts';
import type { Faults } from '../../request/faults.ts';
import { FLOW_SCHEMAS, PRIORITY_LEVELS } from '../../flow-control/flow-config.ts';
import { readLevelSpec } from '../../flow-control/level-spec.ts';
import type { Loopback } from '../../loopback/loopback.ts';
import { outcomeOf } from '../controller-parts.ts';
import { startWorkQueue, type WorkOutcome } from '../work-queue.ts';
import { WriteLimit } from './write-limit.ts';

export interface FlowSchemaStatusParts {
  readonly loopback: Loopback;
  readonly objects: Pick<ObjectView, 'get' | 'of'>;
  readonly listen: (listener: (event: CommittedEvent) => void) => void;
  readonly clock: Clock;
  readonly faults: Pick<Faults, 'record'>;
}

export interface FlowSchemaStatus {
  /** Resolves when nothing is being written any more. */
  stop(): Promise<void>;
}

type Told = Required<Pick<FlowSchemaCondition, 'type' | 'status' | 'reason' | 'message'>>;

const DANGLING = 'Dangling';
/** The manager that applies the status, by upstream's name. */
const CONSUMER = 'api-priority-and-fairness-config-consumer-v1';
const LEVEL = 'flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations';
const readSchema = storedKind('flowcontrol.apiserver.k8s.io/v1/flowschemas');
const URL = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas';

/** When all views are filled. Settles when every flow schema there is has been looked at. */
export async function startFlowSchemaStatus(
  parts: FlowSchemaStatusParts,
): Promise<FlowSchemaStatus> {
  const { objects, clock } = parts;
  const limit = new WriteLimit(clock);
  const looks = { ...parts, limit, again: (path: string): void => queue.add(path) };
  const paths = Array.from(objects.of(FLOW_SCHEMAS).inOrder(''), ({ path }) => path);
  // Whatever is overtaken here is looked at again below.
  const queue = startWorkQueue(
    { name: 'flow-schema-status', width: 1, work: (path) => look(looks, path) },
    parts,
  );
  await Promise.all(paths.map((path) => look(looks, path)));
  function addAll(): void {
    for (const { path } of objects.of(FLOW_SCHEMAS).inOrder('')) queue.add(path);
  }
  parts.listen(({ resource, path, type }) => {
    if (resource === FLOW_SCHEMAS && type !== 'deleted') queue.add(path);
    // Any of them may name the level; there are few.
    if (resource === PRIORITY_LEVELS && type !== 'modified') addAll();
  });
  addAll();
  return {
    stop() {
      limit.stop();
      return queue.stop();
    },
  };
}

interface LookParts extends FlowSchemaStatusParts {
  readonly limit: WriteLimit;
  /** Has the path looked at once more. */
  readonly again: (path: string) => void;
}

async function look(
  { loopback, objects, clock, limit, again }: LookParts,
  path: string,
): Promise<WorkOutcome> {
  const stored = objects.get(FLOW_SCHEMAS, path);
  if (stored === undefined) return 'done';
  const { spec, status } = readSchema(stored);
  const level = spec.priorityLevelConfiguration.name;
  const told = conditionFor(level, isThere(objects, level));
  const conditions = items(status.conditions);
  const old = conditions.find(({ type }) => type === DANGLING);
  if (old !== undefined && isSame(old, told)) return 'done';
  if (!limit.take(path, again)) return 'done';
  const condition = { ...told, lastTransitionTime: formatTime(clock.now()) };
  const name = nameOf(path);
  const head = { apiVersion: 'flowcontrol.apiserver.k8s.io/v1', kind: 'FlowSchema' };
  const body = { ...head, metadata: { name }, status: { conditions: [condition] } };
  const url = `${URL}/${name}/status`;
  return outcomeOf(await loopback({ method: 'PATCH', path: url, body, appliedBy: CONSUMER }));
}

function isThere(objects: ObjectReads, level: string): boolean {
  const path = pathOf('', level);
  const found = storedAt(objects, LEVEL, path);
  return found !== undefined && readLevelSpec(found) !== undefined;
}

function conditionFor(level: string, isFound: boolean): Told {
  const head = 'This FlowSchema references the PriorityLevelConfiguration object named';
  const tail = isFound ? 'and it exists' : 'but there is no such object';
  return {
    type: DANGLING,
    status: isFound ? 'False' : 'True',
    reason: isFound ? 'Found' : 'NotFound',
    message: `${head} ${JSON.stringify(level)} ${tail}`,
  };
}

function isSame(old: FlowSchemaCondition, told: Told): boolean {
  return (['status', 'reason', 'message'] as const).every((key) => old[key] === told[key]);
}
