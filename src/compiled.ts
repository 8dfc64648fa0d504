/**
 * The build's own code as V8 compiled it, kept in a file. One script of all pieces that only requests need: Node's own loader looks each
 * file up, and has a compile cache from Node 22 on only. `program/kept-code.ts` decides where the file lies, and calls it.
 */
import { createHash } from 'node:crypto'
import { createRequire, Module } from 'node:module'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'
import type { Disk } from './world.ts'

/** Pieces of `bin/build.mjs` that are loaded once a verb is certain to run. */
export const keptPieces: readonly string[] = ['profile', 'api', 'network']

/** A piece as a function: what it exports is a member of the module. */
type Piece = (module: object, require: (path: string) => unknown) => void

/** Bytes of a SHA-256, with which the file begins. */
const digestSize = 32

/**
 * Loads the pieces in the folder of the build, as they were compiled where the file has them. Returns what the file is to be where it has
 * not: with the functions that ran until then, so that nothing is compiled for it. Throws the system's error, and nothing is loaded.
 */
export function loadPieces(
  { disk, nodeVersion }: { readonly disk: Disk; readonly nodeVersion: string },
  build: string,
  path: string,
): (() => Buffer) | undefined {
  // Requests set it there (`http/transport.ts`), and V8 takes no code that was made under other flags than its own.
  if (nodeVersion.startsWith('20.')) setFlagsFromString('--liftoff-only')
  const text = textOf(disk, build)
  const filename = join(build, 'pieces.js')
  const kept = readScript(disk, path, text, filename)
  const script = kept ?? new Script(text, { filename })
  const pieces = script.runInThisContext() as Piece[]
  const require = createRequire(join(build, 'main.js'))
  const loaded = new Map<string, unknown>()
  for (const [n, name] of keptPieces.entries()) {
    const file = join(build, `${name}.js`)
    const module = new Module(file)
    pieces[n]?.(module, (wanted) => loaded.get(wanted) ?? require(wanted))
    module.loaded = true
    loaded.set(`./${name}.js`, module.exports)
    // For the pieces that Node loads itself.
    require.cache[file] = module
  }
  if (kept !== undefined) return undefined
  return () => {
    const code = script.createCachedData()
    return Buffer.concat([digestOf(text, code), code])
  }
}

/** Each piece in parentheses, which have V8 compile it at once. */
function textOf(disk: Disk, build: string): string {
  const functions = keptPieces.map((name) => {
    const code = disk.readFileSync(join(build, `${name}.js`), 'latin1')
    return `(function(module,require){${code}\n})`
  })
  return `[${functions.join()}]`
}

/** Undefined without a file, and when it is torn, of another build, or of a Node that compiles in another way. */
function readScript(disk: Disk, path: string, text: string, filename: string): Script | undefined {
  if (!disk.existsSync(path)) return undefined
  const bytes = disk.readFileSync(path)
  const code = bytes.subarray(digestSize)
  // V8 compares no more than the length of the text, and runs whatever the code is.
  if (!digestOf(text, code).equals(bytes.subarray(0, digestSize))) return undefined
  const script = new Script(text, { filename, cachedData: code })
  return script.cachedDataRejected === true ? undefined : script
}

function digestOf(text: string, code: Uint8Array): Buffer {
  return createHash('sha256').update(text, 'latin1').update(code).digest()
}
