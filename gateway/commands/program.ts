/** What programs run: built as one file, which load-program.ts loads. */
export { runProcess } from './run-process.ts';
