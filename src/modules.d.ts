/** Imports that TypeScript cannot look up by itself. */

/**
 * The part of undici that svc imports: undici describes itself only as a whole, whose import costs half of what starting
 * Node costs.
 */
declare module 'undici/lib/dispatcher/client.js' {
  export { Client as default } from 'undici'
}

// Pages of Markdown and scripts of shells are imported as texts: by esbuild's text loader, and by a plugin in tests.
declare module '*.md' {
  const text: string
  export default text
}
declare module '*.bash' {
  const text: string
  export default text
}
declare module '*.fish' {
  const text: string
  export default text
}
declare module '*.zsh' {
  const text: string
  export default text
}
