/**
 * Makes the flow schemas and priority levels that every cluster has, and puts them right. Operators
 * may take over the suggested ones: what has the annotation `apf.kubernetes.io/autoupdate-spec` with
 * `false`, or was changed without one, is left as it is. The mandatory ones are always put right.
 *
 * In Kubernetes: bootstrapConfigurationEnsurer and its ensurer, pkg/registry/flowcontrol.
 */
import type { JsonObject } from '../../../api/json/json.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import type { ObjectView } from '../../../projections/objects/object-view.ts';
import { parsedObject } from '../../../projections/objects/stored-object.ts';
import { pathOf } from '../../../streams/event.ts';
import { defaultObjects } from '../../flow-control/default-objects.ts';
import type { Loopback } from '../../loopback/loopback.ts';
import type { Answer } from '../../request/answer.ts';
import { defaultersByType, type SetDefaults } from '../../../api/kinds/built-in-defaults.ts';
import { sameValue } from '../../../api/kinds/rules/same-value.ts';

export interface FlowDefaultsParts {
  readonly loopback: Loopback;
  /** Of this server, filled. */
  readonly objects: Pick<ObjectView, 'get' | 'of'>;
}

const GROUP = 'flowcontrol.apiserver.k8s.io';
const ANNOTATION = 'apf.kubernetes.io/autoupdate-spec';
/** The manager of what is written here, by upstream's name. */
const PRODUCER = { writtenBy: 'api-priority-and-fairness-config-producer-v1' };

interface Sort {
  readonly resource: string;
  readonly setDefaults: SetDefaults | undefined;
}

const LEVELS: Sort = {
  resource: 'prioritylevelconfigurations',
  setDefaults: defaultersByType.get('io.k8s.api.flowcontrol.v1.PriorityLevelConfiguration'),
};
const SCHEMAS: Sort = {
  resource: 'flowschemas',
  setDefaults: defaultersByType.get('io.k8s.api.flowcontrol.v1.FlowSchema'),
};

/** @throws Error when one is missing and cannot be made. */
export async function ensureFlowDefaults(parts: FlowDefaultsParts): Promise<void> {
  const { suggested, mandatory } = defaultObjects();
  const all = [
    { sort: LEVELS, wanted: suggested.levels, isMandatory: false },
    { sort: SCHEMAS, wanted: suggested.schemas, isMandatory: false },
    { sort: LEVELS, wanted: mandatory.levels, isMandatory: true },
    { sort: SCHEMAS, wanted: mandatory.schemas, isMandatory: true },
  ];
  for (const { sort, wanted, isMandatory } of all) {
    for (const one of wanted) await ensure(parts, { sort, wanted: one, isMandatory });
  }
  await removeUnwanted(parts, SCHEMAS, [...mandatory.schemas, ...suggested.schemas]);
  await removeUnwanted(parts, LEVELS, [...mandatory.levels, ...suggested.levels]);
}

interface Wanted {
  readonly sort: Sort;
  readonly wanted: KubeObject;
  readonly isMandatory: boolean;
}

async function ensure({ loopback, objects }: FlowDefaultsParts, one: Wanted): Promise<void> {
  const { sort, wanted } = one;
  const name = nameOf(wanted);
  const stored = objects.get(`${GROUP}/${sort.resource}`, pathOf('', name));
  if (stored === undefined) {
    const body = structuredClone(wanted);
    const request = { method: 'POST', path: urlOf(sort), body, ...PRODUCER } as const;
    check(await loopback(request), `${name} could not be made`);
    return;
  }
  const current = parsedObject(stored);
  const revised = revisedObject(current, one);
  if (revised === undefined) return;
  const path = `${urlOf(sort)}/${name}`;
  const request = { method: 'PUT', path, body: revised, ...PRODUCER } as const;
  check(await loopback(request), `${name} could not be put right`);
}

/** undefined: it is right as it is. */
function revisedObject(
  current: KubeObject,
  { sort, wanted, isMandatory }: Wanted,
): JsonObject | undefined {
  const updates = isMandatory || followsUpdates(current);
  const said = booleanIn(current.metadata.annotations?.[ANNOTATION]);
  const full = structuredClone(wanted);
  sort.setDefaults?.(full);
  const isChanged = updates && !sameValue(full['spec'], current['spec']);
  if (said === updates && !isChanged) return undefined;
  const annotations = { ...current.metadata.annotations, [ANNOTATION]: String(updates) };
  const metadata = said === updates ? current.metadata : { ...current.metadata, annotations };
  return { ...current, metadata, ...(isChanged ? { spec: full['spec'] } : {}) };
}

/** Without a word, what was never changed is still ours. */
function followsUpdates({ metadata }: KubeObject): boolean {
  return booleanIn(metadata.annotations?.[ANNOTATION]) ?? metadata.generation === 1;
}

async function removeUnwanted(
  { loopback, objects }: FlowDefaultsParts,
  sort: Sort,
  wanted: readonly KubeObject[],
): Promise<void> {
  const names = new Set(wanted.map(nameOf));
  for (const stored of [...objects.of(`${GROUP}/${sort.resource}`).inOrder('')]) {
    const { metadata } = parsedObject(stored);
    const { name = '', annotations } = metadata;
    if (names.has(name) || booleanIn(annotations?.[ANNOTATION]) !== true) continue;
    const path = `${urlOf(sort)}/${name}`;
    check(await loopback({ method: 'DELETE', path }), `${name} could not be deleted`);
  }
}

function urlOf({ resource }: Sort): string {
  return `/apis/${GROUP}/v1/${resource}`;
}

function nameOf({ metadata }: KubeObject): string {
  return metadata.name ?? '';
}

/** Another server on the same log may have been first: that is looked at the next time. */
function check(answer: Answer, problem: string): void {
  if (answer.kind !== 'Status' || answer.status.code < 400) return;
  const { code, message = '' } = answer.status;
  if (code !== 404 && code !== 409) throw new Error(`${problem}: ${message}`);
}

const TRUE: ReadonlySet<string> = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const FALSE: ReadonlySet<string> = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

/** As Go reads it. */
function booleanIn(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  if (TRUE.has(text)) return true;
  return FALSE.has(text) ? false : undefined;
}
