/** What the lines of requests mean in a server whose flags say more than most: they are read once more at the door. */
import type { RequestLine } from '../../../actors/request/request-line.ts';
import type { HeadlampClusters } from '../../flags/headlamp-clusters.ts';
import { headlampLine } from '../../headlamp/headlamp-line.ts';
import type { LineMeaning } from '../../listener/listener.ts';
import { acceptanceOf } from '../../negotiation/accept.ts';

/**
 * @param headlamp the clusters of Headlamp's page, which has a language of its own; undefined: it is not served.
 * @param hasCbor whether CBOR is among the forms of requests and answers.
 * @returns undefined: they are taken as they came.
 */
export function lineMeaning(
  headlamp: HeadlampClusters | undefined,
  hasCbor: boolean,
): LineMeaning | undefined {
  const ofPage: LineMeaning | undefined = headlamp && ((line) => headlampLine(headlamp, line));
  if (!hasCbor) return ofPage;
  return (line) => cborLine(ofPage?.(line) ?? line);
}

function cborLine(line: RequestLine): RequestLine {
  if (!mayBeCbor(line.path)) return line;
  const acceptance = acceptanceOf(line.headers, line.query, true);
  return { ...line, acceptance, accepted: acceptance.any, hasCbor: true };
}

/** Whether it is below a version, in whichever control plane, or one of the pages about the process. */
function mayBeCbor(path: string): boolean {
  if (path === '/statusz' || path === '/flagz') return true;
  const legacy = path.indexOf('/api/');
  const groups = path.indexOf('/apis/');
  if (legacy >= 0 && (groups < 0 || legacy < groups)) return path.length > legacy + '/api/'.length;
  const version = groups < 0 ? -1 : path.indexOf('/', groups + '/apis/'.length);
  return version >= 0 && path.length > version + 1;
}
