/** A page of Markdown is imported as its text: esbuild's text loader in the build, a plugin in tests. */
declare module '*.md' {
  const text: string
  export default text
}
