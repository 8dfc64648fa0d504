/** Compiled code as Node 22 and later keep it from one process to the next. */

interface CodeCache {
  readonly enableCompileCache?: (folder: string) => unknown
}

/** Modules of Node that requests need. Their code is compiled already, for the usual flags of V8 alone: so they are loaded before others. */
const modulesOfRequests = ['crypto', 'net', 'stream', 'querystring', 'diagnostics_channel', 'util']

/** Keeps what is compiled from now on in a folder, and takes it from there. What `loadPieces` loads is compiled whole. */
export function keepCompiled(node: NodeJS.Process, folder: string, loadPieces: () => void): void {
  const cache = node.getBuiltinModule('node:module') as CodeCache
  for (const name of modulesOfRequests) node.getBuiltinModule(name)
  const v8 = node.getBuiltinModule('node:v8')
  cache.enableCompileCache?.(folder)
  // Node keeps what is compiled when a file is loaded; V8 compiles most functions when they are called for the first time.
  v8.setFlagsFromString('--no-lazy')
  loadPieces()
  v8.setFlagsFromString('--lazy')
}
