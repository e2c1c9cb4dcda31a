/** What the log of this server is a copy of, where it is one. */
import { extent } from '../time/extent.ts';
import { dialog } from './dialog-state.ts';
import { timeText } from './format.ts';

const NAMES = { recording: 'Recording', archive: 'Archive', trace: 'Trace' } as const;

/** Above every view: this is not the cluster itself. */
export function Origin() {
  const origin = extent.value?.origin;
  if (origin === undefined) return null;
  const { kind, of, gaps = [] } = origin;
  return (
    <p class="banner">
      <span>
        {NAMES[kind]} of <b>{of}</b>. Nothing here can be changed.
      </span>
      {gaps.length > 0 && (
        <button type="button" class="plain" onClick={showGaps}>
          {gaps.length === 1 ? '1 gap' : `${String(gaps.length)} gaps`}…
        </button>
      )}
    </p>
  );
}

function showGaps(): void {
  const gaps = extent.value?.origin?.gaps ?? [];
  dialog.value = {
    kind: 'report',
    title: 'Where something may be missing',
    lines: gaps.map(({ time, resource, reason, added, modified, deleted }) => ({
      name: `${timeText(Date.parse(time))} ${resource.replace(/^core\//, '')}`,
      text: `${reason}; found ${String(added)} added, ${String(modified)} modified, ${String(deleted)} deleted`,
    })),
  };
}
