/**
 * A list is the state at its resourceVersion, whole, in order, and all pages of it are of one
 * moment: the one that was asked for.
 */
import type { ListAnswer, ListedObject, ListRequest, Operation } from './history.ts';
import { type Change, isInNamespace, isSelected, type LogTruth } from './log-truth.ts';
import { RESOURCES, type ResourceName } from './seen-object.ts';
import { describe, type Violation } from './violation.ts';

interface List {
  readonly operation: Operation;
  readonly request: ListRequest;
  readonly answer: ListAnswer;
  readonly version: number;
}

export function checkLists(operations: readonly Operation[], truth: LogTruth): Violation[] {
  const lists = operations.flatMap(listsOf);
  const violations = lists.flatMap((list) => faults(list, momentFault(list)));
  for (const resource of RESOURCES) {
    const ofResource = lists.filter(({ request }) => request.resource === resource);
    violations.push(...checkContents(ofResource, truth, resource));
  }
  return violations;
}

function listsOf(operation: Operation): List[] {
  const { request, list: answer } = operation;
  if (request.kind !== 'list' || answer === undefined) return [];
  return [{ operation, request, answer, version: answer.versions[0] ?? 0 }];
}

function faults({ operation }: List, why: string | undefined): Violation[] {
  return why === undefined
    ? []
    : [{ promise: 'Consistent list', what: `${why}: ${describe(operation)}` }];
}

function momentFault({ request, answer, version }: List): string | undefined {
  if (answer.versions.some((other) => other !== version)) return 'pages of different moments';
  const { moment, match } = request;
  if (match === 'Exact' && version !== Number(moment)) return 'not of the version asked for';
  return version < Number(moment) ? 'older than what was asked for' : undefined;
}

/** In order of their versions, so that the state is folded once for all of them. */
function checkContents(
  lists: readonly List[],
  truth: LogTruth,
  resource: ResourceName,
): Violation[] {
  const state = new Map<string, Change>();
  const changes = truth.changes(resource);
  let next = 0;
  return [...lists]
    .sort((a, b) => a.version - b.version)
    .flatMap((list) => {
      for (let change = changes[next]; change !== undefined && change.version <= list.version;) {
        if (change.type === 'deleted') state.delete(change.path);
        else state.set(change.path, change);
        next += 1;
        change = changes[next];
      }
      return faults(list, contentFault(list, state));
    });
}

function contentFault(
  { request, answer, version }: List,
  state: ReadonlyMap<string, Change>,
): string | undefined {
  let before = '';
  for (const item of answer.items) {
    const [path, , digest] = item;
    const real = state.get(path);
    if (comparable(path) <= before) return `${path} is out of order`;
    before = comparable(path);
    if (real === undefined) return `${shown(item)} was not there at ${String(version)}`;
    if (real.version !== item[1]) return `${shown(item)} was at ${String(real.version)}`;
    if (real.object.digest !== digest) return `${shown(item)} looked otherwise`;
    if (!isWanted(request, real)) return `${shown(item)} was not selected`;
  }
  const wanted = [...state.values()].filter((change) => isWanted(request, change));
  if (wanted.length === answer.items.length) return undefined;
  const listed = new Set(answer.items.map(([path]) => path));
  const missing = wanted.filter(({ path }) => !listed.has(path));
  return `lacks ${missing.map(({ path, version: at }) => `${path}@${String(at)}`).join()}`;
}

function isWanted({ namespace, selector }: ListRequest, { path, object }: Change): boolean {
  return isInNamespace(path, namespace) && isSelected(selector, object.labels);
}

/** A namespace ends before any name begins. */
function comparable(path: string): string {
  return path.replace('/', '\0');
}

function shown([path, version]: ListedObject): string {
  return `${path}@${String(version)}`;
}
