/** Where the page begins: which user it is, and then the page. */
import { render } from 'preact';
import { App } from './app.tsx';
import { begin } from './state/begin.ts';

const root = document.querySelector('#page');
if (root !== null) render(<App />, root);
void begin();
