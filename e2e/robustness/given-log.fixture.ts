/** A log for the tests of the checkers, record by record. */
import type { ListedObject, Operation, Watch, WatchShown, WatchStart } from './history.ts';
import { type LogRecord, LogTruth } from './log-truth.ts';
import { seenObject, type SeenObject } from './seen-object.ts';

type Change = readonly [
  type: 'added' | 'modified' | 'deleted',
  name: string,
  value: string,
  extra?: Partial<LogRecord> & { readonly labels?: Record<string, string> },
];

/** One record after the other from version 1 on, all of one writer unless they say otherwise. */
export function records(...changes: readonly Change[]): LogRecord[] {
  const versions = new Map<string, number>();
  return changes.map(([type, name, value, extra = {}], index) => {
    const version = index + 1;
    const { labels = {}, ...rest } = extra;
    const path = `default/${name}`;
    const previous = versions.get(path) ?? 0;
    versions.set(path, type === 'deleted' ? 0 : version);
    const record: LogRecord = {
      version,
      writer: 'w',
      sequence: version,
      type,
      resource: 'core/configmaps',
      path,
      previous,
      requires: [],
      auditID: `op-${String(version)}`,
      object: bodyOf(name, value, labels),
      ...rest,
    };
    return record;
  });
}

export function givenLog(...changes: readonly Change[]): LogTruth {
  return LogTruth.of(records(...changes));
}

/** As a client is shown what `records` has at this version. */
export function seen(
  version: number,
  name: string,
  value: string,
  labels: Record<string, string> = {},
): SeenObject {
  return seenObject('configmaps', bodyOf(name, value, labels), version);
}

function bodyOf(name: string, value: string, labels: Record<string, string>) {
  const metadata = { namespace: 'default', name, uid: `uid-${name}`, labels };
  return { metadata, data: { v: value } };
}

export function listed(...objects: readonly SeenObject[]): readonly ListedObject[] {
  return objects.map(({ path, version, digest }) => [path, version, digest]);
}

export function listOperation(
  [invoked, returned]: readonly [number, number],
  versions: readonly number[],
  objects: readonly SeenObject[],
  asked: { moment?: string; match?: 'Exact'; selector?: string } = {},
): Operation {
  const { moment = '', match = '', selector = '' } = asked;
  const of = { resource: 'configmaps', namespace: 'default', selector } as const;
  const request = { kind: 'list', ...of, moment, match, limit: 0 } as const;
  const answer = {
    outcome: 'ok',
    status: 200,
    list: { versions, items: listed(...objects) },
  } as const;
  return { id: 'list', client: 'c', replica: 0, request, invoked, returned, ...answer };
}

export function shown(type: WatchShown['type'], object: SeenObject, at = 100): WatchShown {
  return { type, version: object.version, path: object.path, digest: object.digest, at };
}

export function bookmark(version: number, extra: Partial<WatchShown> = {}): WatchShown {
  return { type: 'BOOKMARK', version, path: '', digest: '', at: 100, ...extra };
}

export function watchOf(
  start: WatchStart,
  events: readonly WatchShown[],
  extra: Partial<Watch> = {},
): Watch {
  const of = { resource: 'configmaps', namespace: 'default', selector: '' } as const;
  return { watch: 'w', replica: 0, ...of, start, opened: 0, shown: [...events], ...extra };
}
