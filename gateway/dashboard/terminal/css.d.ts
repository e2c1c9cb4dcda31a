/** Sheets that the build gives as text. */
declare module '*.css' {
  const text: string;
  export default text;
}
