/** What the log of this server is a copy of, where it is one. */
import { extent } from '../time/extent.ts';

/** Above every view: this is not the cluster itself. */
export function Origin() {
  const origin = extent.value?.origin;
  if (origin === undefined) return null;
  const { kind, of, gaps = [] } = origin;
  return (
    <p class="banner">
      <span>
        {kind} of <b>{of}</b>
        {gaps.length > 0 && `, with ${String(gaps.length)} gaps`}
      </span>
    </p>
  );
}
