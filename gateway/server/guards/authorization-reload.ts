/**
 * Reads the authorization configuration anew when it changes, in the running server. What is no
 * good changes nothing: the last good one is in force until there is a better one.
 *
 * In Kubernetes: the reload of pkg/kubeapiserver/authorizer.
 */
import type { Logger } from '../../../actors/request/logger.ts';
import type { Clock } from '../../../api/meta/clock.ts';
import { followFile } from '../../files/follow-files.ts';
import type { ConfigurationFigures } from '../../metrics/configuration-figures.ts';

const LOOK_MS = 2_000;

export interface Followed {
  readonly file: string;
  /** What is in force. */
  readonly text: string;
  /** Puts another text in force. @throws when it is no good. */
  readonly replace: (text: string) => Promise<void>;
  readonly reloads: ConfigurationFigures;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Ends it. */
  readonly until: AbortSignal;
}

export function followAuthorization({ replace, reloads, logger, ...followed }: Followed): void {
  const { file, text } = followed;
  reloads.inForce(text);
  followFile({
    ...followed,
    everyMs: LOOK_MS,
    async take(next) {
      await replace(next);
      reloads.inForce(next);
      reloads.reloaded(true);
      logger.info({ file }, 'the authorization configuration was read anew');
    },
    failed(error) {
      reloads.reloaded(false);
      logger.error({ err: error }, 'the authorization configuration was not read anew');
    },
  });
}
