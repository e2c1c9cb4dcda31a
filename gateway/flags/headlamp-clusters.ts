/**
 * Which clusters Headlamp's page is told of: this server as it is now, and places of it that the operator has named, as moments of
 * the past and forks. To the page each is a cluster of its own; here a place stands in front of the path, as in a kubeconfig.
 */
import { placeOf, prefixOf } from '../../actors/request/request-info.ts';
import { HEADLAMP_CLUSTER } from '../../actors/request/page-paths.ts';
import { StartupError } from '../process/startup-error.ts';
import { quoted } from './flag-values.ts';

/** By name, what stands in front of each path: '' for the server as it is now. */
export type HeadlampClusters = ReadonlyMap<string, string>;

/** It stands in paths of the page and in names that its browser keeps. */
const NAME = /^[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/;

/** The server as it is now. */
export const ONLY_NOW: HeadlampClusters = new Map([[HEADLAMP_CLUSTER, '']]);

/** Of `NAME=/at/MOMENT/still`, `NAME=/forks/NAME` and the like. @throws StartupError */
export function parseHeadlampClusters(texts: readonly string[]): HeadlampClusters {
  const clusters = new Map(ONLY_NOW);
  for (const text of texts) {
    const equals = text.indexOf('=');
    const name = text.slice(0, Math.max(equals, 0));
    if (!NAME.test(name)) {
      throw new StartupError(
        `must be NAME=PLACE with a name of small letters, digits and -, not ${quoted(text)}`,
      );
    }
    if (clusters.has(name)) throw new StartupError(`has ${name} twice`);
    clusters.set(name, placeIn(text.slice(equals + 1)));
  }
  return clusters;
}

function placeIn(text: string): string {
  const place = placeOf(text);
  const prefix = prefixOf(place);
  const isWhole = text === prefix && prefix !== '' && /^[!-~]+$/.test(text) && !/[%?#]/.test(text);
  if (isWhole && place.path === '/') return prefix;
  throw new StartupError(
    `must name a place as /at/MOMENT, /at/MOMENT/still or /forks/NAME, not ${quoted(text)}`,
  );
}
