/** The paths by which an operator looks into the process itself. */
import type { Clock, Random } from '../../api/meta/clock.ts';
import type { ReceivedRequest } from '../../actors/request/request.ts';
import { verbosityRoute, type SetVerbosity } from './verbosity.ts';
import { profilesRoute } from './profiles.ts';
import { firstOf, type Route } from './route.ts';
import { zPagesRoute } from './zpages.ts';

export interface DebugParts {
  readonly clock: Clock;
  readonly random: Random;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** All flags and what they are set to. */
  readonly flags: ReadonlyMap<string, string>;
  /** Whether there are profiles, and the level of the log can be changed. */
  readonly profiling: boolean;
  readonly setVerbosity: SetVerbosity;
}

const ALWAYS: readonly string[] = ['/flagz', '/statusz'];
const PROFILING: readonly string[] = ['/debug/flags/v', '/debug/pprof', '/debug/pprof/profile'];

export function debugPaths({ profiling }: DebugParts): readonly string[] {
  return profiling ? [...ALWAYS, ...PROFILING] : ALWAYS;
}

export function debugRoute(
  parts: DebugParts,
  paths: (request: ReceivedRequest) => Iterable<string>,
): Route {
  return firstOf([zPagesRoute({ ...parts, paths }), debugToolsRoute(parts)]);
}

/** Those that are reached through `--debug-socket-path` too, where there are any. */
export function debugToolsRoute({
  profiling,
  clock,
  setVerbosity,
}: Pick<DebugParts, 'clock' | 'profiling' | 'setVerbosity'>): Route {
  return profiling
    ? firstOf([profilesRoute(clock), verbosityRoute(setVerbosity)])
    : () => undefined;
}
