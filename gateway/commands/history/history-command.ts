/** `everwatch history`: the life of one object, one line for each revision. */
import type { JsonObject } from '../../../api/json/json.ts';
import { formatTime } from '../../../api/meta/clock.ts';
import {
  type ObjectRevision,
  summarizeRevision,
} from '../../../projections/past/object-revisions.ts';
import type { ObjectOfLog } from '../../../projections/past/log-source.ts';
import { resourceVersion, type ResourceVersion } from '../../../streams/resource-version.ts';
import { namedOnCommandLine, objectOfLog, readLife, type ObjectLife } from '../tool/object-life.ts';
import type { Tool } from '../tool/run-tool.ts';
import { changeValue, objectDiff, shownChanges, type ShownParts } from '../tool/shown-object.ts';
import { colouredDiff, formatTable, parseFormat, printable } from '../tool/tool-output.ts';

/** The flags of the command; `since`, `from` and `to` are moments, see moment.ts. */
export interface HistoryOptions {
  /** Of the object; undefined: the namespace of the source. */
  readonly namespace?: string;
  /** The form that is printed, as -o has it. */
  readonly output?: string;
  /** Whether each revision is shown as a unified diff. */
  readonly diff?: boolean;
  /** The first moment, as `from` is. */
  readonly since?: string;
  /** The first moment. */
  readonly from?: string;
  /** The last moment; undefined: now. */
  readonly to?: string;
  /** Whether values of Secrets are shown as they are. */
  readonly showSecrets?: boolean;
  /** Whether metadata.managedFields is shown. */
  readonly showManagedFields?: boolean;
}

const HEADER = ['REVISION', 'TIME', 'USER', 'VERB', 'MANAGER', 'CHANGES'];

export async function history(
  tool: Tool,
  words: readonly string[],
  options: HistoryOptions,
): Promise<number> {
  const format = parseFormat(options.output ?? 'table');
  const named = await namedOnCommandLine(tool, words, options.namespace);
  const { from, to } = await rangeOf(tool, options, objectOfLog(named));
  const life = await readLife(tool, named, to);
  const revisions = life.revisions.filter(({ event }) => event.resourceVersion >= from);
  const parts = {
    secrets: options.showSecrets === true,
    managedFields: options.showManagedFields === true,
    status: true,
  };
  const { output } = tool;
  if (format !== 'table') await output.writeValues(revisions.map(revisionValue), format);
  else if (options.diff === true) await showDiffs(tool, { ...life, revisions }, parts);
  else
    await output.write(
      formatTable(
        HEADER,
        revisions.map((one) => rowOf(one, parts)),
      ),
    );
  return 0;
}

async function rangeOf(
  { moments }: Tool,
  { since, from, to }: HistoryOptions,
  of: ObjectOfLog,
): Promise<{ from: ResourceVersion; to: ResourceVersion | undefined }> {
  const begin = from ?? since;
  const flag = from === undefined ? '--since' : '--from';
  return {
    from: begin === undefined ? resourceVersion(0) : await moments.firstFrom(begin, flag, of),
    to: to === undefined ? undefined : await moments.versionAt(to, '--to', of),
  };
}

function rowOf(revision: ObjectRevision, parts: ShownParts): string[] {
  const { event } = revision;
  return [
    String(event.resourceVersion),
    formatTime(event.time),
    event.user,
    event.verb,
    event.fieldManager,
    summaryOf(revision, parts),
  ];
}

function summaryOf(revision: ObjectRevision, parts: ShownParts): string {
  const changes = shownChanges(revision.changes, parts);
  return summarizeRevision({ ...revision, changes });
}

async function showDiffs(
  { output }: Tool,
  { named, revisions }: ObjectLife,
  parts: ShownParts,
): Promise<void> {
  for (const revision of revisions) {
    const { event, before, object } = revision;
    const [number = '', ...rest] = rowOf(revision, parts).map(printable);
    const names = {
      before: before === undefined ? '/dev/null' : named.shown,
      after: event.type === 'deleted' ? '/dev/null' : `${named.shown} at ${number}`,
    };
    const after = event.type === 'deleted' ? undefined : object;
    // A delete shows the whole of what went.
    const old = event.type === 'deleted' ? object : before;
    const diff = objectDiff(old, after, { names, parts });
    await output.write(`revision ${number}  ${rest.join('  ')}\n`);
    await output.write(`${colouredDiff(diff, output.hasColours)}\n`);
  }
}

function revisionValue(revision: ObjectRevision): JsonObject {
  const { event, object, changes } = revision;
  return {
    resourceVersion: event.resourceVersion,
    time: new Date(event.time).toISOString(),
    type: event.type,
    user: event.user,
    verb: event.verb,
    fieldManager: event.fieldManager,
    auditID: event.auditID,
    uid: event.uid,
    summary: summarizeRevision(revision),
    changes: changes.map(changeValue),
    object,
  };
}
