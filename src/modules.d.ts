/** Imports that TypeScript cannot look up by itself. */

/**
 * The part of undici that svc imports: undici describes itself only as a whole, whose import costs half of what starting
 * Node costs.
 */
declare module 'undici/lib/dispatcher/client.js' {
  export { Client as default } from 'undici'
}

// The parts of cosmiconfig behind its entry, which would execute files of the current folder.
declare module 'cosmiconfig/dist/ExplorerSync.js' {
  import type { CosmiconfigResult, OptionsSync } from 'cosmiconfig'
  type Options = Pick<OptionsSync, 'searchPlaces' | 'packageProp' | 'transform' | 'loaders'>
  export class ExplorerSync {
    constructor(options: Options)
    load(path: string): CosmiconfigResult
  }
}
declare module 'cosmiconfig/dist/loaders.js' {
  import type { LoaderSync } from 'cosmiconfig'
  export const loadYaml: LoaderSync
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
