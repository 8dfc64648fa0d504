/** Imports that TypeScript cannot look up by itself. */

/**
 * The part of undici that svc imports: undici describes itself only as a whole, whose import costs half of what starting
 * Node costs.
 */
declare module 'undici/lib/dispatcher/client.js' {
  export { Client as default } from 'undici'
}

/** A page of Markdown is imported as its text: esbuild's text loader in the build, a plugin in tests. */
declare module '*.md' {
  const text: string
  export default text
}
