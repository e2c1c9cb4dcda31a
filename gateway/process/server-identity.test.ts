import { expect, test } from 'vitest';
import { serverIdentity } from './server-identity.ts';

test('is what the Go code of kube-apiserver makes of the name of the machine', () => {
  expect(serverIdentity('node-1')).toBe('apiserver-lgabes5ywnaqeagh5dny4zlzs4');
});
