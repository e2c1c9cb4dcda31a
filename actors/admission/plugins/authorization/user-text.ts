/** A user as it stands in upstream's messages. */
import { compareGoStrings } from '../../../../api/json/go-format.ts';
import type { UserInfo } from '../../../request/request.ts';

/** In Go: `%v` of a user.DefaultInfo. */
export function goUserText({ name, uid, groups, extra }: UserInfo): string {
  const entries = Object.entries(extra)
    .sort(([one], [other]) => compareGoStrings(one, other))
    .map(([key, values]) => `${key}:[${values.join(' ')}]`);
  return `&{${name} ${uid} [${groups.join(' ')}] map[${entries.join(' ')}]}`;
}
