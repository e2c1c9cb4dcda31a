/** ConfigMaps as they are served, for tests of whatever carries objects to clients. */
import { testClock } from '../actors/request/given.fixture.ts';
import { builtInResources } from '../api/kinds/built-in.ts';
import { ServedResources } from '../actors/served-resources/served-resources.ts';

const found = new ServedResources(builtInResources(testClock())).lookup({
  apiGroup: '',
  apiVersion: 'v1',
  resource: 'configmaps',
});
if (found === undefined) throw new Error('no ConfigMaps are served');
export const configMaps = found;
