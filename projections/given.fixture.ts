/** For tests of views: a log in memory, everything that is folded from it, and short words for events. */
import { ManualClock } from '../api/meta/manual-clock.fixture.ts';
import type { StringMap } from '../api/meta/object-meta.ts';
import { parseFieldSelector } from '../api/selectors/field-selector.ts';
import { parseLabelSelector } from '../api/selectors/label-selector.ts';
import { MemoryEventLog } from '../streams/memory/memory-event-log.ts';
import type { EventType, LoggedEvent, ProposedEvent, Requirement } from '../streams/event.ts';
import { resourceVersion } from '../streams/resource-version.ts';
import type { Verdict } from './fold/arbiter.ts';
import type { Selection } from './objects/selection.ts';
import { MemoryObjectStore } from './store/memory-object-store.ts';
import { ObjectView } from './objects/object-view.ts';
import { viewsOver } from './views.ts';
import type { Projection } from './fold/projection.ts';

export const CONFIG_MAPS = 'core/configmaps';
/** Room for a few objects: the others are read from the log again and again. */
export const FEW_BYTES = 4_000;

export interface GivenEvent {
  readonly type?: EventType;
  readonly resource?: string;
  readonly path?: string;
  readonly previous?: number;
  readonly writer?: string;
  readonly sequence?: number;
  readonly requires?: readonly Requirement[];
  readonly labels?: StringMap;
  readonly data?: string;
}

let sequence = 0;

/** A proposed event; what is not said is a create of `core/configmaps` `ns/a`. */
export function givenEvent(given: GivenEvent = {}): ProposedEvent {
  const { path = 'ns/a', resource = CONFIG_MAPS, previous = 0, labels } = given;
  const [namespace = '', name = ''] = path.split('/');
  sequence += 1;
  const object = {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name, namespace, uid: `uid-${path}`, ...(labels === undefined ? {} : { labels }) },
    data: { value: given.data ?? '' },
  };
  return {
    writer: given.writer ?? 'writer',
    sequence: given.sequence ?? sequence,
    type: given.type ?? (previous === 0 ? 'added' : 'modified'),
    resource,
    path,
    previousResourceVersion: resourceVersion(previous),
    requires: given.requires ?? [],
    json: Buffer.from(JSON.stringify(object)),
    time: 0,
    uid: `uid-${path}`,
    user: 'somebody',
    verb: 'create',
    auditID: '',
    fieldManager: '',
  };
}

export function loggedEvent(version: number, given: GivenEvent = {}): LoggedEvent {
  return { ...givenEvent(given), resourceVersion: resourceVersion(version) };
}

/** Everything from the log to the views, with nothing faked but time. */
export async function givenViews(more: readonly Projection[] = []) {
  const clock = new ManualClock();
  const inMemory = {
    log: new MemoryEventLog(),
    store: new MemoryObjectStore(),
    objects: new ObjectView(),
  };
  const views = viewsOver(inMemory, clock, { more, warmBytesMax: FEW_BYTES });
  const { log, applied, projector } = views;
  const verdicts: Verdict[] = [];
  projector.listen((_event, verdict) => verdicts.push(verdict));
  await projector.start((error) => {
    throw error;
  });
  const append = async (...events: GivenEvent[]): Promise<void> => {
    const first = await log.append(events.map((event) => givenEvent(event)));
    await applied.whenApplied(resourceVersion(first + events.length - 1), 1_000);
  };
  const stop = async (): Promise<void> => {
    await projector.stop();
    await log.close();
  };
  return { ...views, clock, verdicts, append, stop };
}

/** The selection of everything, narrowed by what is said. */
export function selection(
  given: { namespace?: string; name?: string; labels?: string; fields?: string } = {},
): Selection {
  const labels = parseLabelSelector(given.labels ?? '');
  const fields = parseFieldSelector(given.fields ?? '');
  if (!labels.ok || !fields.ok) throw new Error('the test gives a selector that cannot be parsed');
  const { namespace = '', name = '' } = given;
  return {
    namespace,
    name,
    labels: given.labels === undefined ? undefined : labels.selector,
    fields: given.fields === undefined ? undefined : fields.selector,
    fieldsOf: undefined,
    key: JSON.stringify(given),
  };
}
